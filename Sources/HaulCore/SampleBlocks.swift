/// Which blocks of a file are compared to refute that two copies are the same.
package struct SampleBlocks: Hashable, Sendable {
    /// Length of a block in bytes.
    package static let blockLength: Int64 = 64 << 10
    /// The blocks, ascending and disjoint.
    package let ranges: [ByteRange]

    /// Chooses blocks spread over a whole file.
    ///
    /// - Parameters:
    ///   - size: size of the file in bytes.
    ///   - count: number of blocks; fewer if the file has not as many.
    ///   - seed: makes the choice reproducible.
    package init(size: Int64, count: Int = 16, seed: UInt64) {
        self.init(within: ByteRangeSet(ByteRange(0, size)), count: count, seed: seed)
    }

    /// Chooses blocks of what is on hand.
    ///
    /// - Parameters:
    ///   - finished: where blocks may lie.
    ///   - count: number of blocks; fewer if there are not as many.
    ///   - seed: makes the choice reproducible.
    package init(within finished: ByteRangeSet, count: Int = 16, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let total = (finished.total + Self.blockLength - 1) / Self.blockLength
        guard total > 0, count > 0 else {
            ranges = []
            return
        }
        // One block from each of `count` equal strips, so that no region goes unseen.
        var chosen = ByteRangeSet()
        let strips = min(Int64(count), total)
        for strip in 0..<strips {
            let low = finished.total / strips * strip
            let high = strip == strips - 1 ? finished.total : finished.total / strips * (strip + 1)
            let last = max(low, high - Self.blockLength)
            chosen.insert(Self.block(at: Int64.random(in: low...last, using: &random), in: finished))
        }
        // Neighbours stay apart: each block is a request and a buffer of its own.
        ranges = chosen.ranges.flatMap { range in
            stride(from: range.lowerBound, to: range.upperBound, by: Int(Self.blockLength)).map {
                ByteRange($0, min($0 + Self.blockLength, range.upperBound))
            }
        }
    }

    /// Whether a block's bytes can refute anything: those of one repeated byte are alike in too many files.
    package static func tells(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first else { return false }
        return bytes.contains { $0 != first }
    }

    /// The block that begins `offset` bytes into what is on hand; it ends with its range.
    private static func block(at offset: Int64, in finished: ByteRangeSet) -> ByteRange {
        var rest = offset
        for range in finished.ranges {
            if rest < range.length {
                let start = range.lowerBound + rest
                return ByteRange(start, min(range.upperBound, start + blockLength))
            }
            rest -= range.length
        }
        return ByteRange(0, 0)
    }
}
