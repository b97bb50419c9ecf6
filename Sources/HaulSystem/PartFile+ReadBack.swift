package import HaulCore

extension PartFile {
    /// Read at once: stays in the cache for what is computed of it.
    private static let pieceLength = 32 << 10

    /// Reads a range back, compares it with what came off the wire, and computes digests of it: pread(2).
    ///
    /// - Parameters:
    ///   - finished: what was written.
    ///   - algorithms: which digests are wanted.
    /// - Returns: the digests; nil if the bytes are not those that were received.
    /// - Throws: what pread(2) said, or that a digest is not to be had.
    package func readBack(
        _ finished: FinishedRange, computing algorithms: [ContentDigest.Algorithm]
    ) throws(SystemError) -> [ContentDigest]? {
        let sums = try DigestSet(algorithms)
        let block = AlignedBlock(count: Self.pieceLength)
        var position = finished.range.lowerBound
        var checksum: UInt32 = 0
        while position < finished.range.upperBound {
            let wanted = Int(min(Int64(Self.pieceLength), finished.range.upperBound - position))
            let buffer = unsafe UnsafeMutableRawBufferPointer(rebasing: block.suffix(from: 0)[..<wanted])
            guard try unsafe read(into: buffer, at: position) == wanted else { return nil }
            let bytes = unsafe block.prefix(wanted)
            checksum = unsafe HardwareCRC32C.checksum(bytes, continuing: checksum)
            unsafe sums.update(bytes)
            position += Int64(wanted)
        }
        return checksum == finished.checksum ? try sums.values() : nil
    }
}
