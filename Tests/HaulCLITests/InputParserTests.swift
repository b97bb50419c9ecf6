import Testing

@testable import HaulCLI

@Suite struct InputParserTests {
    /// What a list leads to, as lines.
    private func findings(_ bytes: [UInt8], pieces: Int = 1 << 20) -> [String] {
        var splitter = LineSplitter()
        var parser = InputParser()
        var found: [InputParser.Finding] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            splitter.take(Array(bytes[start..<min(bytes.count, start + pieces)])) { line in
                parser.take(line) { found.append($0) }
            }
        }
        if let last = splitter.finish() { parser.take(last) { found.append($0) } }
        parser.finish { found.append($0) }
        return found.map(Self.text)
    }

    private static func text(_ finding: InputParser.Finding) -> String {
        switch finding {
        case .item(let item):
            let options = item.options.map { "\($0.line) \($0.value.spelling)=\($0.value.text)" }
            return "\(item.line)\(item.isBroken ? "!" : "") "
                + (item.urls + options).joined(separator: " | ")
        case .problem(let line, let message): return "problem \(line): \(message)"
        case .warning(let line, let message): return "warning \(line): \(message)"
        }
    }

    @Test(
        arguments: [
            ("", []),
            ("\n \n\t\n# comment\n", []),
            ("http://h/a", ["1 http://h/a"]),
            ("http://h/a\r\nhttp://h/b\r\n", ["1 http://h/a", "2 http://h/b"]),
            ("http://h/a\thttp://m/a\t\n", ["1 http://h/a | http://m/a"]),
            ("\u{FEFF}http://h/a\r\nhttp://h/b", ["1 http://h/a", "2 http://h/b"]),
            ("\u{FEFF}# comment\nhttp://h/b", ["2 http://h/b"]),
            (
                "#\n\nhttp://h/a\n  out=x y\n\tdir = d \n #c\n  split=3\nhttp://h/b",
                ["3 http://h/a | 4 out=x y | 5 dir=d | 7 split=3", "8 http://h/b"]
            ),
            (
                " header=A: b=c\nhttp://h/a\n header=A: b=c\n",
                ["problem 1: an option without an address above it", "2 http://h/a | 3 header=A: b=c"]
            ),
            (
                "http://h/a\n what\nhttp://h/b\n",
                ["problem 2: 'what' is no option: write name=value", "1! http://h/a", "3 http://h/b"]
            ),
            (
                "http://h/a\n oyt=x\nhttp://h/b\n oyt=x\n",
                [
                    "warning 2: unknown option 'oyt' is passed over: did you mean 'out'?", "1 http://h/a",
                    "3 http://h/b",
                ]
            ),
        ] as [(String, [String])])
    func lists(_ text: String, _ expected: [String]) {
        #expect(findings(Array(text.utf8)) == expected)
        #expect(findings(Array(text.utf8), pieces: 1) == expected)
    }

    @Test func linesThatCanNotBeUsed() {
        let long = Array(repeating: UInt8(ascii: "a"), count: LineSplitter.longest + 1)
        let bytes =
            Array("http://h/a\n".utf8) + long + Array("\n out=1\nhttp://h/\0\nhttp://h/b\n out=".utf8) + [0xFF, 0x0A]
            + Array("http://h/c\n ".utf8) + long
        for pieces in [7, 4096, 1 << 20] {
            let found = findings(bytes, pieces: pieces)
            #expect(found.contains("1 http://h/a"))
            #expect(found.contains("5! http://h/b") && found.contains("7! http://h/c"))
            #expect(found.filter { $0.hasPrefix("problem") }.count == 4)
        }
    }
}
