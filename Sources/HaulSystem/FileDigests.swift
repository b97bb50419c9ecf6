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
}
