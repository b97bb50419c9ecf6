import HaulCore
import Testing

@Suite("CRC-32C by tables")
struct CRC32CTests {
    @Test(
        "Values of RFC 3720 §B.4",
        arguments: [
            ([UInt8]("123456789".utf8), 0xE306_9283),
            ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
            ([UInt8](repeating: 255, count: 32), 0x62A8_AB43),
            ([UInt8](0..<32), 0x46DD_794E),
            ([], 0),
        ] as [([UInt8], UInt32)])
    func knownValues(bytes: [UInt8], expected: UInt32) {
        #expect(CRC32C.checksum(bytes.span) == expected)
    }

    @Test("Going on is the same as at once, and so is combining", arguments: 1...20 as ClosedRange<UInt64>)
    func parts(seed: UInt64) {
        var random = JournalRandom(seed: seed)
        let bytes = random.bytes(Int.random(in: 1...3000, using: &random))
        let cut = Int.random(in: 0...bytes.count, using: &random)
        let whole = CRC32C.checksum(bytes.span)
        let head = CRC32C.checksum(bytes.span.extracting(0..<cut))
        let tail = CRC32C.checksum(bytes.span.extracting(cut..<bytes.count))
        #expect(CRC32C.checksum(bytes.span.extracting(cut..<bytes.count), continuing: head) == whole)
        #expect(CRC32C.combine(head, tail, length: Int64(bytes.count - cut)) == whole)
    }

    @Test("Combining is associative for lengths that no test could allocate")
    func longLengths() {
        let lengths: [Int64] = [1 << 23, (1 << 40) + 12_345, 1 << 62]
        for length in lengths {
            let once = CRC32C.combine(CRC32C.combine(7, 8, length: length), 9, length: 1000)
            let twice = CRC32C.combine(7, CRC32C.combine(8, 9, length: 1000), length: length + 1000)
            #expect(once == twice)
        }
    }
}
