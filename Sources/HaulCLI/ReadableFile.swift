#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file to read from front to back.
struct ReadableFile: ~Copyable {
    private let descriptor: Int32

    /// Opens a file, or is nil when it can't be opened.
    ///
    /// `open(2)`.
    init?(_ path: String) {
        let opened = open(path, O_RDONLY | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        descriptor = opened
    }

    deinit { close(descriptor) }

    /// Hands out the bytes piece by piece.
    ///
    /// - Parameter body: gets a piece and its offset; false ends the reading.
    /// - Returns: bytes handed out.
    func read(_ body: (UnsafeRawBufferPointer, Int64) -> Bool) -> Int64 {
        withUnsafeTemporaryAllocation(byteCount: 1 << 20, alignment: 64) { buffer in
            var offset: Int64 = 0
            while true {
                let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return offset }
                guard body(UnsafeRawBufferPointer(rebasing: buffer[..<count]), offset) else { return offset }
                offset += Int64(count)
            }
        }
    }
}
