import HaulCore
import HaulTestSupport
import Testing

@testable import HaulMetalink

/// Metalinks as libxml2 and the reader see them: good ones, odd ones and hostile ones.
@Suite struct MetalinkParserTests {
    private static let sha256 = String(repeating: "ab", count: 32)
    private static let head = #"<?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink">"#

    /// Reads a whole document in pieces.
    private func read(
        _ text: String, piece: Int = .max
    ) throws -> (findings: [MetalinkFinding], problem: MetalinkProblem?) {
        var parser = try MetalinkParser()
        var findings: [MetalinkFinding] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let bytes = Array(rest.prefix(piece))
            rest = rest.dropFirst(bytes.count)
            findings += parser.take(bytes.span.bytes)
        }
        findings += parser.finish()
        return (findings, parser.problem)
    }

    private func files(_ text: String) throws -> [MetalinkFile] {
        let (findings, problem) = try read(text)
        #expect(problem == nil)
        return findings.compactMap { if case .file(let file) = $0 { file } else { nil } }
    }

    @Test(arguments: [1, 7, 100_000]) func versionFour(_ piece: Int) throws {
        let text = """
            \(Self.head)
              <file name="a.iso"><identity>A</identity>
                <size> 300 </size>
                <hash type="sha-256">\(Self.sha256)</hash><hash type="pgp">x</hash>
                <pieces length="256" type="sha-256"><hash>\(Self.sha256)</hash><hash>\(Self.sha256)</hash></pieces>
                <url>http://last.test/a&amp;b</url>
                <url location="de" priority="2">ftp://x.test/a</url>
                <url location="de" priority="2"><![CDATA[https://second.test/a]]></url>
                <url priority="1">http://first.test/a</url>
                <metaurl mediatype="torrent">http://x.test/a.torrent</metaurl>
                <m:url xmlns:m="urn:other">http://prefixed.test/</m:url>
              </file>
              <file name="b&amp;&lt;&#38;amp;.bin"><url>https://b.test/b</url></file>
            </metalink>
            """
        let (findings, problem) = try read(text, piece: piece)
        #expect(problem == nil)
        #expect(findings.count == 2)
        if case .file(let other)? = findings.last { #expect(other.name == "b&<&amp;.bin") }
        guard case .file(let file) = findings.first else { return #expect(Bool(false), "\(findings)") }
        #expect(file.name == "a.iso" && file.size == 300 && file.line == 2)
        #expect(file.digests.map(\.hex) == [Self.sha256])
        #expect(file.pieces?.count == 2 && file.pieces?.length == 256)
        #expect(
            file.urls == [
                "http://first.test/a", "https://second.test/a", "http://last.test/a&b", "http://prefixed.test/",
            ])
    }

    @Test func versionThree() throws {
        let file = try #require(
            try files(
                """
                <metalink version="3.0" xmlns="http://www.metalinker.org/"><files><file name="c">
                <size>10</size>
                <verification><hash type="sha256">\(Self.sha256)</hash>
                <pieces length="6" type="sha1"><hash piece="0">\(String(repeating: "0", count: 40))</hash>
                <hash piece="1">\(String(repeating: "1", count: 40))</hash></pieces></verification>
                <resources maxconnections="2">
                <url type="http" preference="10">http://low.test/c</url>
                <url type="bittorrent" preference="100">http://torrent.test/c.torrent</url>
                <url type="https" preference="90">https://high.test/c</url></resources>
                </file></files></metalink>
                """
            ).first)
        #expect(file.urls == ["https://high.test/c", "http://low.test/c"])
        #expect(file.digests.map(\.algorithm) == [.sha256])
        #expect(file.pieces?.algorithm == .sha1 && file.pieces?.count == 2)
    }

    @Test func unusableFilesDoNotKeepTheOthers() throws {
        let (findings, problem) = try read(
            """
            \(Self.head)
            <file name="a"><size>many</size><url>http://a.test/</url></file>
            <file name="b"><hash type="sha-256">12</hash><url>http://a.test/</url></file>
            <file name="c"><url>ftp://a.test/</url></file>
            <file name="d"><hash type="md5">\(String(repeating: "0", count: 32))</hash>
            <hash type="MD5">\(String(repeating: "1", count: 32))</hash><url>http://a.test/</url></file>
            <file name="e"><url>\(String(repeating: "x", count: 20_000))</url><url>http://a.test/</url></file>
            <file name="f"><url>http://a.test/</url></file>
            </metalink>
            """)
        #expect(problem == nil)
        let lines = findings.compactMap { if case .unusable(let line, _) = $0 { line } else { nil } }
        #expect(lines == [2, 3, 4, 6, 7])
        #expect(findings.count == 6)
        guard case .file(let last) = findings.last else { return #expect(Bool(false)) }
        #expect(last.name == "f")
    }

    @Test func piecesThatDoNotFitAreToldAndPassedOver() throws {
        for pieces in ["<hash>\(Self.sha256)</hash>", "<hash>xy</hash><hash>\(Self.sha256)</hash>"] {
            let (findings, _) = try read(
                """
                \(Self.head)<file name="a"><size>300</size>
                <pieces length="256" type="sha-256">\(pieces)</pieces><url>http://a.test/</url></file></metalink>
                """)
            guard case .warning = findings.first, case .file(let file) = findings.last else {
                return #expect(Bool(false), "\(findings)")
            }
            #expect(file.pieces == nil)
        }
    }

    @Test(arguments: [
        ("", 1, "XML"), ("no xml", 1, "XML"), ("<html>\n</html>", 1, "<html>"),
        ("<metalink>\n<file name='a'>", 2, "too early"), ("<metalink>\n\n<a></b></metalink>", 3, "XML"),
        ("<metalink>\n<file>&unknown;</file></metalink>", 2, "XML"),
        ("<?xml version='1.0'?>\n<!DOCTYPE metalink [<!ENTITY a 'b'>]><metalink>&a;</metalink>", 2, "entities"),
        ("<!DOCTYPE m [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><metalink/>", 1, "entities"),
        (String(repeating: "<metalink>", count: 40), 1, "deeply"),
        ("\0\u{1}\u{2}\u{3}", 1, "XML"),
    ])
    func problemsHaveALine(_ text: String, _ line: Int, _ word: String) throws {
        let problem = try #require(try read(text).problem)
        #expect(problem.line == line)
        #expect(problem.reason.contains(word), "\(problem.reason)")
        #expect(!problem.reason.contains("\n"))
    }

    @Test func filesBeforeAProblemCount() throws {
        let (findings, problem) = try read(
            "\(Self.head)<file name='a'><url>http://a.test/</url></file><file></oops>", piece: 64)
        #expect(problem != nil)
        #expect(findings.count == 1)
    }

    @Test func anExternalSubsetIsNotLoaded() throws {
        let text = """
            <!DOCTYPE metalink SYSTEM "http://127.0.0.1:1/metalink.dtd">
            <metalink><file name="a"><url>http://a.test/</url></file></metalink>
            """
        #expect(try files(text).count == 1)
    }

    @Test func tooManyAddressesAreToldOnce() throws {
        let urls = (0..<400).map { "<url>http://a.test/\($0)</url>" }.joined()
        let (findings, _) = try read("\(Self.head)<file name='a'>\(urls)</file></metalink>")
        #expect(findings.count == 2)
        guard case .file(let file) = findings.last else { return #expect(Bool(false)) }
        #expect(file.urls.count == 256 && file.urls.last == "http://a.test/255")
    }

    /// A million elements that mean nothing, and garbage, end with bounded findings and without a crash.
    @Test(arguments: 1...20) func garbage(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let words = [
            "<metalink>", "<file name='x'>", "</file>", "<url>", "</url>", "http://a.test/", "<pieces", ">",
            "<hash type='md5'>", "</hash>", "&#0;", "&amp;", "<![CDATA[", "]]>", "\u{FFFD}", "\0", "<!--", "<?x?>",
        ]
        let text = "<metalink>" + (0..<200).map { _ in words.randomElement(using: &random) ?? "" }.joined()
        #expect(try read(text, piece: Int.random(in: 1...40, using: &random)).findings.count < 200)
    }
}
