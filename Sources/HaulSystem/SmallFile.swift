#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Text that the user names: read whole, whatever is behind the path, and never more than a limit.
package enum SmallFile {
    /// Reads a file, a pipe or a device from where it begins: open(2), read(2).
    ///
    /// - Parameters:
    ///   - path: what to read; symbolic links are followed.
    ///   - limit: most bytes to read.
    /// - Returns: the bytes; nil if there are more than `limit`.
    /// - Throws: what a call said. A pipe that nobody writes into is empty.
    package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8]? {
        // O_NONBLOCK: opening a pipe without a writer must not wait.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw SystemError(.open, number: errno, path: path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count <= limit {
            #if canImport(Darwin)
                let count = unsafe Darwin.read(descriptor, &piece, piece.count)
            #elseif canImport(Glibc)
                let count = unsafe Glibc.read(descriptor, &piece, piece.count)
            #else
                let count = unsafe Musl.read(descriptor, &piece, piece.count)
            #endif
            if count == 0 { return bytes }
            if count > 0 {
                bytes += piece[..<count]
            } else if errno == EAGAIN {
                var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = unsafe poll(&item, 1, -1)
            } else if errno != EINTR {
                throw SystemError(.pread, number: errno, path: path)
            }
        }
        return nil
    }

    /// The path without symbolic links and dots in it: realpath(3).
    ///
    /// - Throws: what realpath(3) said, such as that nothing is there.
    package static func resolved(_ path: String) throws(SystemError) -> String {
        guard let text = unsafe realpath(path, nil) else { throw SystemError(.open, number: errno, path: path) }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    /// Value of an environment variable: getenv(3).
    package static func environment(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
