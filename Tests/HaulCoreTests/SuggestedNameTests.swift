import HaulCore
import Testing

@Suite struct SuggestedNameTests {
    @Test(arguments: [
        (#"attachment; filename="foo.html""#, "foo.html"),
        ("attachment; filename=foo.html", "foo.html"),
        ("attachment; filename=foo bar.html", "foo bar.html"),
        ("Attachment;FILENAME=foo.html;x=y", "foo.html"),
        ("attachment ; filename = foo.html ", "foo.html"),
        ("inline; filename=foo.html", "foo.html"),
        ("filename=foo.html", "foo.html"),
        ("attachment filename=foo.html", "foo.html"),
        (#"attachment; filename="a;b.txt""#, "a;b.txt"),
        (#"attachment; filename="a\"b.txt""#, #"a"b.txt"#),
        (#"attachment; filename="f\oo.html""#, "foo.html"),
        (#"attachment; filename="open.txt"#, "open.txt"),
        (#"attachment; filename="a.txt" junk; filename=b.txt"#, "a.txt"),
        (#"attachment; name="x.txt"; filename="y.txt""#, "y.txt"),
        ("attachment; filename=a.txt; filename*=UTF-8''%e2%82%ac%20rates.txt", "€ rates.txt"),
        ("attachment; filename*=UTF-8''%e2%82%ac%20rates.txt; filename=a.txt", "€ rates.txt"),
        ("attachment; filename*=utf-8'en'%e2%82%ac.txt", "€.txt"),
        ("attachment; filename*=iso-8859-1''%E9t%E9.txt", "été.txt"),
        (#"attachment; filename*="UTF-8''a%20b.txt""#, "a b.txt"),
        ("attachment; filename*=UTF-8''%ff.txt; filename=a.txt", "a.txt"),
        ("attachment; filename*=UTF-8''%zz.txt; filename=a.txt", "a.txt"),
        ("attachment; filename*=UTF-8''%e; filename=a.txt", "a.txt"),
        ("attachment; filename*=koi8-r''%c1.txt; filename=a.txt", "a.txt"),
        ("attachment; filename*=a.txt; filename=b.txt", "b.txt"),
        ("attachment; filename*=UTF-8''; filename=b.txt", "b.txt"),
        ("attachment; filename*=UTF-8''it's.txt", "it's.txt"),
        ("attachment; filename=été.txt", "été.txt"),
        (#"attachment; filename="a%20b.txt""#, "a b.txt"),
        (#"attachment; filename="100%.txt""#, "100%.txt"),
        (#"attachment; filename="%ff.txt""#, "%ff.txt"),
        // Hostile ones.
        (#"attachment; filename="../../etc/passwd""#, "passwd"),
        (#"attachment; filename="/etc/passwd""#, "passwd"),
        (#"attachment; filename="..\\..\\boot.ini""#, "boot.ini"),
        ("attachment; filename=..%2f..%2fetc%2fpasswd", "passwd"),
        ("attachment; filename*=UTF-8''..%2f..%5cpasswd", "passwd"),
        ("attachment; filename=/\u{301}x/\u{301}y", "\u{301}y"),
        (#"attachment; filename=".bashrc""#, "bashrc"),
        (#"attachment; filename=" . .profile""#, "profile"),
        ("attachment; filename=.\u{301}x", "\u{301}x"),
        ("attachment; filename*=UTF-8''a%00b%0d%0a%1b%7fc.txt", "abc.txt"),
        ("attachment; filename*=UTF-8''photo%E2%80%AEgpj.exe", "photogpj.exe"),
        ("attachment; filename*=UTF-8''a%C2%85b%E2%80%A8c", "abc"),
        (#"attachment; filename="a.txt. . ""#, "a.txt"),
        (#"attachment; filename="file.iso.haul""#, "file.iso"),
        (#"attachment; filename="file.iso.haul-journal""#, "file.iso"),
        (#"attachment; filename="file.iso.HAUL .haul-Journal.""#, "file.iso"),
        (#"attachment; filename="haul""#, "haul"),
        (#"attachment; filename=".haul""#, "haul"),
        ("attachment; filename=a; filename=b", "a"),
    ])
    func readsDispositions(text: String, name: String) {
        #expect(SuggestedName.fromDisposition(text) == name)
    }

    @Test(arguments: [
        "", "attachment", "attachment; filename", "attachment; filename=", #"attachment; filename="""#,
        #"attachment; filename="..""#, #"attachment; filename="dir/""#, #"attachment; filename="x/..""#,
        #"attachment; filename=" . .. ""#, "attachment; filename*=UTF-8''%00", "attachment; size=5", "=;=;=", #"";"=""#,
        "attachment; filename*0=a; filename*1=b",
    ])
    func findsNoNameIn(text: String) {
        #expect(SuggestedName.fromDisposition(text) == nil)
    }

    @Test(arguments: [
        ("/a/b.iso", "b.iso"), ("/b%20c.iso", "b c.iso"), ("/%E2%82%AC", "€"), ("/%E9t%E9", "été"), ("/a+b", "a+b"),
        ("/a%2Fb", "b"), ("/..%2F..%5Cx", "x"), ("/100%", "100%"), ("/a;v=1", "a;v=1"), ("b", "b"),
        ("/x/.hidden", "hidden"),
        ("/", nil), ("", nil), ("/dir/", nil), ("/..", nil), ("/%00", nil), ("/a%2F", nil), ("/a.haul", "a"),
    ])
    func readsPaths(path: String, name: String?) {
        #expect(SuggestedName.fromPath(path) == name)
    }

    @Test func asksOneAfterTheOther() {
        let disposition = "attachment; filename=d"
        #expect(SuggestedName.choose(contentDisposition: disposition, path: "/p", finalPath: "/f") == "d")
        #expect(SuggestedName.choose(contentDisposition: "inline", path: "/p", finalPath: "/f") == "p")
        #expect(SuggestedName.choose(contentDisposition: nil, path: "/", finalPath: "/f") == "f")
        #expect(SuggestedName.choose(contentDisposition: nil, path: "/", finalPath: "/") == "download")
        #expect(SuggestedName.choose(contentDisposition: nil, path: "/") == "download")
    }

    @Test(arguments: ["a", "é", "€", "👨‍👩‍👧‍👦", "e\u{301}"])
    func cutsAtACharacter(character: String) throws {
        let long = String(repeating: character, count: 300)
        for ending in ["", ".iso", ".tar.gz"] {
            let name = try #require(SuggestedName.harmless(long + ending))
            #expect(name.hasSuffix(ending))
            #expect(name.utf8.count <= SuggestedName.longest)
            #expect(name.utf8.count > SuggestedName.longest - character.utf8.count)
            let stem = name.dropLast(ending.count)
            #expect(stem.allSatisfy { String($0) == character })
        }
    }

    @Test func cutsEvenOneEndlessCharacter() throws {
        let name = try #require(SuggestedName.harmless("e" + String(repeating: "\u{301}", count: 500) + ".txt"))
        #expect((200...SuggestedName.longest).contains(name.utf8.count))
        #expect(name.hasSuffix(".txt"))
    }

    @Test(arguments: [
        ("a.iso", 2, "a (2).iso"), ("a.tar.gz", 3, "a (3).tar.gz"), ("a.TAR.xz", 2, "a (2).TAR.xz"), ("a", 2, "a (2)"),
        ("tar.gz", 2, "tar (2).gz"), ("v1. What is new", 2, "v1. What is new (2)"),
    ])
    func numbers(name: String, number: Int, expected: String) {
        #expect(SuggestedName.numbered(name, number) == expected)
    }

    @Test func numberedNamesStayWithinTheLimit() throws {
        let name = try #require(SuggestedName.harmless(String(repeating: "ü", count: 300) + ".tar.gz"))
        let second = SuggestedName.numbered(name, 12)
        #expect(second.hasSuffix(" (12).tar.gz"))
        #expect(second.utf8.count <= SuggestedName.longest)
    }

    /// Whatever comes in, one harmless component goes out, and it stays what it is when made harmless again.
    @Test(arguments: UInt64(1)...32)
    func isAlwaysHarmless(seed: UInt64) {
        var random = CoreRandom(seed: seed)
        let pieces = [
            "a", ".", "/", "\\", " ", ";", "=", "\"", "%2f", "%5c", "%00", "%2e", ".haul", ".haul-journal", ".tar",
            ".gz",
            "\u{0}", "\n", "\u{7F}", "\u{85}", "\u{202E}", "\u{301}", "€", "👩‍👧", "filename=", "filename*=UTF-8''", "é",
            "xxxxxxxxxx",
        ]
        for _ in 0..<500 {
            let count = Int.random(in: 0...80, using: &random)
            let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let found = [
                SuggestedName.harmless(text), SuggestedName.fromDisposition(text), SuggestedName.fromPath(text),
            ]
            for name in found.compactMap(\.self) {
                #expect(!name.isEmpty && name.utf8.count <= SuggestedName.longest)
                #expect(
                    !name.utf8.contains {
                        $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\")
                    })
                #expect(name.utf8.first != UInt8(ascii: ".") && name.utf8.last != UInt8(ascii: "."))
                #expect(!name.lowercased().hasSuffix(".haul") && !name.lowercased().hasSuffix(".haul-journal"))
                #expect(SuggestedName.harmless(name) == name)
            }
        }
    }
}
