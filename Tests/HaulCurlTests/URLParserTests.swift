import HaulCore
import HaulTestSupport
import Testing

@testable import HaulCurl

@Suite("Addresses", .inTurn)
struct URLParserTests {
    private func parse(_ text: String, base: String? = nil) throws -> ResourceURL {
        let base = try base.map { try CurlURLParser.parse($0, relativeTo: nil) }
        return try CurlURLParser.parse(text, relativeTo: base)
    }

    @Test(arguments: [
        ("http://example.com", "http://example.com/"),
        ("HTTP://EXAMPLE.com:80/A%2fb?Q#frag", "http://example.com/A%2fb?Q"),
        ("https://example.com:443/", "https://example.com/"),
        ("https://example.com:8443/x", "https://example.com:8443/x"),
        ("http://u:p@example.com/x", "http://example.com/x"),
        ("http://example.com/a/../b/./c", "http://example.com/b/c"),
        ("http://[::1]:81/x", "http://[::1]:81/x"),
        ("http://example.com?a=b", "http://example.com/?a=b"),
        ("http://example.com/x?", "http://example.com/x"),
        ("http://example.com/x?#frag", "http://example.com/x"),
        ("http://example.com/ä", "http://example.com/%c3%a4"),
        ("http://example.com/100%", "http://example.com/100%"),
        ("http://example.com/a;b=1,2/(c)!", "http://example.com/a;b=1,2/(c)!"),
        ("https://bücher.example/x", "https://xn--bcher-kva.example/x"),
        ("https://BÜCHER.example/x", "https://xn--bcher-kva.example/x"),
    ])
    func accepted(text: String, expected: String) throws {
        let url = try parse(text)
        #expect(url.text == expected)
        #expect(
            try parse(url.text)
                == ResourceURL(
                    scheme: url.scheme, host: url.host, port: url.port, path: url.path, query: url.query, userInfo: nil,
                    text: url.text))
    }

    @Test func parts() throws {
        let url = try parse("HTTPS://n%40me:p%3Aw@Example.COM/dir/file.bin?sig=a%2Bb#x")
        #expect(url.scheme == "https")
        #expect(url.host == "example.com")
        #expect(url.port == 443)
        #expect(url.path == "/dir/file.bin")
        #expect(url.query == "sig=a%2Bb")
        #expect(url.userInfo == BasicCredentials(name: "n@me", password: "p:w"))
        #expect(url.text == "https://example.com/dir/file.bin?sig=a%2Bb")
        #expect(url.redacted == "https://example.com/dir/file.bin?…")
    }

    @Test(arguments: [
        ("http://u@h/", "u", ""), ("http://:p@h/", "", "p"), ("http://u:@h/", "u", ""), ("http://u:p:q@h/", "u", "p:q"),
    ])
    func userInfo(text: String, name: String, password: String) throws {
        #expect(try parse(text).userInfo == BasicCredentials(name: name, password: password))
    }

    @Test(arguments: [
        "http://[fe80::1%25e\u{FFFD}h]/",
        "", " ", "example.com/file", "/file", "file", "ftp://example.com/x", "file:///etc/passwd", "http:", "http://",
        "http:///x", "http:/x", "https://?x", "http://exa mple.com/", "http://example.com/a b",
        "http://example.com/a\nb",
        "http://example.com/\u{7F}", "http://example.com:0/", "http://example.com:65536/", "http://example.com:x/",
        "http://[::1/", "http://a\\@b/", "http://u%0ax:p@h/", "javascript:alert(1)", "mailto:a@b",
        "http://example.com/\0x",
        "http://h/" + String(repeating: "x", count: 65_536),
    ])
    func refused(text: String) {
        #expect(throws: InvalidURL.self) { try parse(text) }
    }

    @Test func aMissingSchemeIsExplained() {
        #expect(throws: InvalidURL(reason: "not an http or https address: write http:// or https:// in front")) {
            try parse("example.com/file")
        }
        #expect(throws: InvalidURL(reason: "not an http or https address")) { try parse("ftp://example.com/file") }
    }

    @Test(arguments: [
        ("other", "http://h/dir/other"),
        ("/root", "http://h/root"),
        ("../up", "http://h/up"),
        ("//cdn.example/x", "http://cdn.example/x"),
        ("https://cdn.example/x?y=1#z", "https://cdn.example/x?y=1"),
        ("?only=query", "http://h/dir/file?only=query"),
        ("", "http://h/dir/file?q"),
        ("#top", "http://h/dir/file?q"),
        ("/with space", "http://h/with%20space"),
        ("/ä?ö", "http://h/%c3%a4?%c3%b6"),
        ("/%41%zz", "http://h/%41%zz"),
        ("./a/./b/../c", "http://h/dir/a/c"),
        ("HTTPS://CDN.example:443/X", "https://cdn.example/X"),
        ("https://u:p@cdn.example/x", "https://cdn.example/x"),
    ])
    func references(reference: String, expected: String) throws {
        #expect(try parse(reference, base: "http://h/dir/file?q").text == expected)
    }

    @Test(arguments: ["ftp://h/x", "file:///etc/passwd", "javascript:x", "data:,x", "http://h/\r\nX: y", "http://h:0/"])
    func refusedReferences(reference: String) {
        #expect(throws: InvalidURL.self) { try parse(reference, base: "http://h/") }
    }

    @Test func credentialsOfTheBaseAreNotInherited() throws {
        #expect(try parse("/x", base: "http://u:p@h/").userInfo == nil)
    }
}
