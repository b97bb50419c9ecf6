import Testing

@testable import HaulCLI

@Suite struct PrintableTests {
    @Test(arguments: [
        ("plain größe 文件 🙂", "plain größe 文件 🙂"),
        ("a\nb\rc\td", "a\\nb\\rc\\td"),
        ("\u{1B}[2J\u{7}", "\\x1b[2J\\x07"),
        ("\u{0}\u{7F}\u{9B}", "\\x00\\x7f\\x9b"),
        ("photo\u{202E}gpj.exe", "photo\\u{202e}gpj.exe"),
        ("\u{2028}\u{2066}", "\\u{2028}\\u{2066}"),
        ("a\r\nb", "a\\r\\nb"),
    ])
    func escapes(_ text: String, _ safe: String) { #expect(Printable.escaping(text) == safe) }

    @Test(arguments: [("abc", 3), ("größe", 5), ("文件", 4), ("e\u{301}", 1), ("🙂", 2), ("", 0)])
    func columns(_ text: String, _ count: Int) { #expect(Printable.columns(text) == count) }

    @Test(arguments: [
        ("debian-12.iso", 13, "debian-12.iso"), ("debian-12.iso", 9, "debi~.iso"), ("debian-12.iso", 1, "~"),
        ("debian-12.iso", 0, ""), ("文件文件文件", 7, "文件~件"), ("文件文件文件", 6, "文~件"),
    ])
    func shortens(_ text: String, _ limit: Int, _ short: String) {
        #expect(Printable.shortening(text, to: limit, mark: "~") == short)
        #expect(Printable.columns(Printable.shortening(text, to: limit, mark: "~")) <= limit)
    }

    @Test(arguments: [
        ("waiting 3 s: HTTP 503", 21, "waiting 3 s: HTTP 503"),
        ("waiting 3 s: HTTP 503, and", 22, "waiting 3 s: HTTP 503~"),
        ("文件文件", 6, "文件~"), ("ab", 1, "~"), ("ab", 0, ""),
    ])
    func cutsSentences(_ text: String, _ limit: Int, _ short: String) {
        #expect(Printable.cutting(text, to: limit, mark: "~") == short)
    }
}
