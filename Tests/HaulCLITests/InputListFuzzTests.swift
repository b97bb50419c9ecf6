import HaulTestSupport
import Testing

@testable import HaulCLI

/// Input lists changed at random: they mean the same in whatever pieces they come, and nothing that they don't say.
@Suite struct InputListFuzzTests {
    private static let corpus = [
        "http://h/a\thttp://m/a\n  out=x y\n\tdir = d \n #c\n  split=3\nhttp://h/b",
        "# c\r\n\r\nhttp://h/a\r\n  out=ä\r\n",
        "  out=x\n", "http://h/a\n  checksum=sha-256=00\n  header=A: b\n  huch=1\n  no option\n", "\u{FEFF}http://h/a",
        "http://h/a\n\u{0}\n  out=b\n",
    ].map { Array($0.utf8) }

    private func findings(_ bytes: [UInt8], pieces: () -> Int) -> [InputParser.Finding] {
        var splitter = LineSplitter()
        var parser = InputParser()
        var found: [InputParser.Finding] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + pieces())
            splitter.take(Array(bytes[start..<end])) { parser.take($0) { found.append($0) } }
            start = end
        }
        if let last = splitter.finish() { parser.take(last) { found.append($0) } }
        parser.finish { found.append($0) }
        return found
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func sameInWhateverPieces(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var mutator = SeededMutator(corpus: Self.corpus, seed: seed)
        for _ in 0..<400 {
            let bytes = mutator.next()
            let whole = findings(bytes) { 1 << 20 }
            #expect(findings(bytes) { Int.random(in: 1...9, using: &random) } == whole, "\(bytes)")
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).count
            for case .item(let item) in whole {
                #expect((1...lines).contains(item.line), "\(bytes)")
                #expect(item.isBroken || !item.urls.isEmpty, "\(bytes)")
                #expect(item.urls.allSatisfy { !$0.isEmpty && !$0.contains("\t") }, "\(bytes)")
                #expect(item.options.allSatisfy { InputParser.keys.contains($0.value.spelling) }, "\(bytes)")
            }
        }
    }

    @Test func longUnknownOptionsAreSoonPassedOver() {
        // Looked up among the known ones, each would cost a table of its length.
        let lines = (0..<50).map { "  " + String(repeating: "x", count: 60_000) + "\($0)=1\n" }
        let time = ContinuousClock().measure {
            _ = findings(Array(("http://h/a\n" + lines.joined()).utf8)) { 1 << 16 }
        }
        #expect(time < .seconds(60), "\(time)")
    }
}
