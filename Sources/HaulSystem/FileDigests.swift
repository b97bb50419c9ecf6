package import HaulCore

/// Computes digests of a file that haul does not own, such as one that may be finished already, on a thread of its own.
package actor FileDigests {
    private let thread: ThreadExecutor
    /// Bytes read between two looks at whether the caller still wants to know.
    private static let step: Int64 = 1 << 20

    /// Makes it; nothing is read yet.
    ///
    /// - Parameter thread: where to read and hash.
    package init(thread: ThreadExecutor) { self.thread = thread }

    nonisolated package var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Reads a whole file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - algorithms: which digests are wanted.
    /// - Returns: the digests, in that order; nil if the calling task was cancelled.
    /// - Throws: what open(2) or pread(2) said.
    package func digests(
        of path: String, _ algorithms: [ContentDigest.Algorithm]
    ) async throws(SystemError) -> [ContentDigest]? {
        let file = try FileHandle(path, .reading)
        let digests = try DigestSet(algorithms)
        var offset: Int64 = 0
        while !Task.isCancelled {
            let bytes = try file.read(ByteRange(offset, offset + Self.step))
            if bytes.isEmpty { return try digests.values() }
            unsafe bytes.withUnsafeBytes { unsafe digests.update($0) }
            offset += Int64(bytes.count)
            await Task.yield()
        }
        return nil
    }

    /// Reads a whole file and compares its pieces.
    ///
    /// - Parameters:
    ///   - pieces: what they must be.
    ///   - path: the file.
    ///   - size: its size in bytes, which the pieces cover.
    /// - Returns: the pieces that are not; nil if the calling task was cancelled.
    /// - Throws: what open(2) or pread(2) said.
    package func wrong(
        among pieces: PieceDigests, of path: String, size: Int64
    ) async throws(SystemError) -> [ByteRange]? {
        let file = try FileHandle(path, .reading)
        var wrong: [ByteRange] = []
        for index in 0..<pieces.count {
            let piece = pieces.range(at: index, size: size)
            let digest = try DigestSet([pieces.algorithm])
            var offset = piece.lowerBound
            while offset < piece.upperBound {
                if Task.isCancelled { return nil }
                let bytes = try file.read(ByteRange(offset, min(piece.upperBound, offset + Self.step)))
                if bytes.isEmpty { break }
                unsafe bytes.withUnsafeBytes { unsafe digest.update($0) }
                offset += Int64(bytes.count)
                await Task.yield()
            }
            guard let value = try digest.values().first, pieces.matches(value, at: index) else {
                wrong.append(piece)
                continue
            }
        }
        return wrong
    }
}
