import HaulCore
import Testing

@Suite struct PieceDigestsTests {
    @Test(arguments: [(0, 1), (1, 1), (256, 1), (257, 2), (512, 2), (513, 3)] as [(Int64, Int)])
    func cover(_ size: Int64, _ count: Int) throws {
        let pieces = try #require(PieceDigests(.md5, length: 256, values: [UInt8](repeating: 0, count: 16 * count)))
        #expect(pieces.count == count)
        #expect(pieces.cover(size) == (size > 0))
        #expect(!pieces.cover(size + 512))
    }

    @Test func placesAndValues() throws {
        let values = (0..<32).map { UInt8($0) }
        let pieces = try #require(PieceDigests(.md5, length: 100, values: values))
        #expect(pieces.range(at: 1, size: 150) == ByteRange(100, 150))
        let second = try #require(ContentDigest(.md5, bytes: Array(values[16...])))
        #expect(pieces.matches(second, at: 1) && !pieces.matches(second, at: 0))
    }

    @Test func malformed() {
        #expect(PieceDigests(.md5, length: 0, values: [UInt8](repeating: 0, count: 16)) == nil)
        #expect(PieceDigests(.md5, length: 1, values: []) == nil)
        #expect(PieceDigests(.md5, length: 1, values: [UInt8](repeating: 0, count: 17)) == nil)
    }
}
