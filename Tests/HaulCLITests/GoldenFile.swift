#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file beside the tests that holds what an output must be.
enum GoldenFile {
    /// A file that can't be opened.
    struct Missing: Error {
        let path: String
    }

    /// Reads a file in `Golden`.
    static func read(_ name: String) throws -> String {
        let file = try open(name, "r")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes a file in `Golden`.
    static func write(_ text: String, to name: String) throws {
        let file = try open(name, "w")
        defer { fclose(file) }
        fputs(text, file)
    }

    private static func open(_ name: String, _ mode: String) throws -> UnsafeMutablePointer<FILE> {
        let directory = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let path = directory.joined(separator: "/") + "/Golden/" + name
        guard let file = fopen(path, mode) else { throw Missing(path: path) }
        return file
    }
}
