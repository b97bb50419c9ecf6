#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A file, pipe or device that is read from front to back, and closed when its one owner lets go of it.
package struct SequentialFile: ~Copyable {
    private let descriptor: Int32
    private let path: String
    /// Most bytes of one read.
    private static let pieceLength = 64 << 10

    /// Opens it: open(2).
    ///
    /// - Parameter path: what to read; symbolic links are followed.
    /// - Throws: what open(2) said. A pipe that nobody writes into is empty.
    package init(_ path: String) throws(SystemError) {
        // O_NONBLOCK: opening a pipe without a writer must not wait.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemError(.open, number: errno, path: path) }
        self.path = path
    }

    deinit { close(descriptor) }

    /// Reads on, without waiting: read(2).
    ///
    /// - Returns: the next bytes, none at the end; nil when a pipe holds nothing yet.
    /// - Throws: what read(2) said.
    package func read() throws(SystemError) -> [UInt8]? {
        var piece = [UInt8](repeating: 0, count: Self.pieceLength)
        while true {
            #if canImport(Darwin)
                let count = unsafe Darwin.read(descriptor, &piece, piece.count)
            #elseif canImport(Glibc)
                let count = unsafe Glibc.read(descriptor, &piece, piece.count)
            #else
                let count = unsafe Musl.read(descriptor, &piece, piece.count)
            #endif
            if count >= 0 {
                piece.removeLast(piece.count - count)
                return piece
            }
            if errno == EAGAIN { return nil }
            if errno != EINTR { throw SystemError(.pread, number: errno, path: path) }
        }
    }

    /// Waits until there is something to read, or the end: poll(2).
    package func wait() {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = unsafe poll(&item, 1, -1)
    }
}
