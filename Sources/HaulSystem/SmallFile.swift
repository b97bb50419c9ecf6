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
        let file = try SequentialFile(path)
        var bytes: [UInt8] = []
        while bytes.count <= limit {
            guard let piece = try file.read() else {
                file.wait()
                continue
            }
            if piece.isEmpty { return bytes }
            bytes += piece
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
