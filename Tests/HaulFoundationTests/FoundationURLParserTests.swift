import HaulCore
import HaulCurl
import Testing

@testable import HaulFoundation

/// Foundation's parser takes addresses apart as libcurl's does: what is judged is what is requested, over either.
@Suite struct FoundationURLParserTests {
    private func parse(_ text: String, base: String? = nil) throws -> ResourceURL {
        let base = try base.map { try FoundationURLParser.parse($0, relativeTo: nil) }
        return try FoundationURLParser.parse(text, relativeTo: base)
    }

    @Test(arguments: [
        "http://example.com", "HTTP://EXAMPLE.com:80/A%2fb?Q#frag", "https://example.com:443/",
        "https://example.com:8443/x", "http://u:p@example.com/x", "http://example.com/a/../b/./c",
        "http://[::1]:81/x", "http://example.com?a=b", "http://example.com/a;b=1,2/(c)!", "http://u@h/",
        "http://:p@h/", "http://u:@h/", "http://u:p:q@h/",
        "HTTPS://n%40me:p%3Aw@Example.COM/dir/file.bin?sig=a%2Bb#x",
    ])
    func bothParsersAgree(text: String) throws {
        #expect(try parse(text) == CurlURLParser.parse(text, relativeTo: nil))
    }

    @Test(arguments: [
        "", " ", "example.com/file", "/file", "file", "ftp://example.com/x", "file:///etc/passwd", "http:", "http://",
        "http:///x", "http:/x", "https://?x", "http://exa mple.com/", "http://example.com/a b",
        "http://example.com/a\nb", "http://example.com/\u{7F}", "http://example.com:0/", "http://example.com:65536/",
        "http://example.com:x/", "http://[::1/", "http://a\\@b/", "http://u%0ax:p@h/", "javascript:alert(1)",
        "mailto:a@b", "http://example.com/\0x", "http://h/" + String(repeating: "x", count: 65_536),
    ])
    func bothRefuse(text: String) {
        #expect(throws: InvalidURL.self) { try parse(text) }
        #expect(throws: InvalidURL.self) { try CurlURLParser.parse(text, relativeTo: nil) }
    }

    @Test(arguments: [
        "other", "/root", "../up", "//cdn.example/x", "https://cdn.example/x?y=1#z", "?only=query", "", "#top",
        "/with space", "./a/./b/../c", "HTTPS://CDN.example:443/X", "https://u:p@cdn.example/x",
    ])
    func bothResolveReferences(reference: String) throws {
        let base = try CurlURLParser.parse("http://h/dir/file?q", relativeTo: nil)
        #expect(try parse(reference, base: base.text) == CurlURLParser.parse(reference, relativeTo: base))
    }

    /// Percent signs that begin no code, and the case of codes, are spelled differently and mean the same.
    @Test(arguments: [
        ("http://example.com/ä", "http://example.com/%C3%A4"), ("http://example.com/100%", "http://example.com/100%25"),
        ("https://bücher.example/x", "https://xn--bcher-kva.example/x"),
        ("https://BÜCHER.example/x", "https://xn--bcher-kva.example/x"),
    ])
    func spelledDifferently(text: String, expected: String) throws {
        #expect(try parse(text).text == expected)
    }

    @Test(arguments: ["ftp://h/x", "file:///etc/passwd", "javascript:x", "data:,x", "http://h/\r\nX: y", "http://h:0/"])
    func refusedReferences(reference: String) {
        #expect(throws: InvalidURL.self) { try parse(reference, base: "http://h/") }
    }
}
