import HaulCore
import Testing

@testable import HaulSystem

@Suite("CRC-32C by instructions")
struct HardwareCRC32CTests {
    @Test("Every length around the streams' borders agrees with the tables")
    func agreesWithTables() {
        var random = DiskRandom(seed: 3)
        let bytes = random.bytes(20_000)
        for length in Array(0...1100) + [6143, 6144, 6145, 12_288 + 767, 12_288 + 768, 19_990] {
            let start = length % 9
            let part = bytes.span.extracting(start..<(start + length))
            let right = CRC32C.checksum(part, continuing: 77)
            #expect(HardwareCRC32C.checksum(part.bytes, continuing: 77) == right)
            #expect(HardwareCRC32C.checksumByInstruction(part.bytes, continuing: 77) == right)
        }
    }

    @Test("Combining agrees with the tables", arguments: [0, 1, 7, 4096, 1 << 23, (1 << 40) + 3] as [Int64])
    func combining(length: Int64) {
        #expect(HardwareCRC32C.combine(123, 456, length: length) == CRC32C.combine(123, 456, length: length))
    }

    @Test("It says what computes it")
    func backend() {
        #expect(["vpclmulqdq", "sse4.2", "armv8", "table"].contains(HardwareCRC32C.backend))
    }
}
