import HaulCore
import Testing

@Suite("Journal: joined ranges")
struct JournalJoinedRangesTests {
    @Test("Coverage and checksums survive joining", arguments: 1...50 as ClosedRange<UInt64>)
    func coverage(seed: UInt64) {
        var random = JournalRandom(seed: seed)
        let content = random.bytes(2000)
        let ranges = (0..<Int.random(in: 1...60, using: &random)).map { _ -> FinishedRange in
            let range = random.range(below: 2000)
            return finished(range, content)
        }
        let joined = ranges.joined()
        #expect(ByteRangeSet(joined.map(\.range)) == ByteRangeSet(ranges.map(\.range)))
        #expect(joined.count <= ranges.count)
        for range in joined { #expect(range == finished(range.range, content)) }
        #expect(joined.joined() == joined)
    }

    @Test("A range within others is dropped, the longer of two that begin together is kept")
    func contained() {
        let long = FinishedRange(ByteRange(0, 100), checksum: 1)
        let short = FinishedRange(ByteRange(0, 50), checksum: 2)
        let inner = FinishedRange(ByteRange(20, 100), checksum: 3)
        #expect([short, inner, long].joined() == [long])
    }

    private func finished(_ range: ByteRange, _ content: [UInt8]) -> FinishedRange {
        let part = content.span.extracting(Int(range.lowerBound)..<Int(range.upperBound))
        return FinishedRange(range, checksum: CRC32C.checksum(part))
    }
}
