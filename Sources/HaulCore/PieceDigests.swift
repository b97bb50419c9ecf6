/// Digests of a file's pieces, all of one length but the last.
package struct PieceDigests: Hashable, Sendable {
    /// Algorithm of all of them.
    package let algorithm: ContentDigest.Algorithm
    /// Length of each piece but the last in bytes.
    package let length: Int64
    /// The values, one behind the other: a large file has very many.
    private let values: [UInt8]

    /// Puts digests together; nil when there is no piece, the length is none, or a value is cut.
    ///
    /// - Parameters:
    ///   - algorithm: algorithm of all of them.
    ///   - length: length of each piece but the last in bytes.
    ///   - values: the values, one behind the other.
    package init?(_ algorithm: ContentDigest.Algorithm, length: Int64, values: [UInt8]) {
        guard length > 0, !values.isEmpty, values.count.isMultiple(of: algorithm.length) else { return nil }
        self.algorithm = algorithm
        self.length = length
        self.values = values
    }

    /// Number of pieces.
    package var count: Int { values.count / algorithm.length }

    /// Whether these are the pieces of a file of `size` bytes.
    package func cover(_ size: Int64) -> Bool {
        size > 0 && (size - 1) / length + 1 == Int64(count)
    }

    /// Whether a piece's digest is `digest`.
    package func matches(_ digest: ContentDigest, at index: Int) -> Bool {
        digest.algorithm == algorithm
            && values[(index * algorithm.length)..<((index + 1) * algorithm.length)].elementsEqual(digest.bytes)
    }

    /// Where a piece lies in a file of `size` bytes.
    package func range(at index: Int, size: Int64) -> ByteRange {
        let start = Int64(index) * length
        return ByteRange(start, min(size, start.saturatingAdd(length)))
    }
}
