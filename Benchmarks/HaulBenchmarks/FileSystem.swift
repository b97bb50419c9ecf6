import HaulOrigin

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Files and directories, as far as measurements need them.
enum FileSystem {
    /// Makes a directory with a name of its own.
    ///
    /// `mkdtemp(3)`, `realpath(3)`.
    ///
    /// - Returns: its path from the root, since nginx and the origin take relative ones for something else.
    static func makeDirectory(in parent: String) throws(BenchmarkFailure) -> String {
        var template = Array((parent + "/haul-bench.XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else {
            throw BenchmarkFailure("no directory can be made in '\(parent)': \(String(cString: strerror(errno)))")
        }
        guard let path = realpath(made, nil) else {
            throw BenchmarkFailure("'\(String(cString: made))' has no path: \(String(cString: strerror(errno)))")
        }
        defer { free(path) }
        return String(cString: path)
    }

    /// Makes a directory, or does nothing if it is there.
    static func makeDirectory(_ path: String) { mkdir(path, 0o755) }

    /// Names of a directory's entries.
    static func entries(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a file, or a directory with all that is in it.
    static func remove(_ path: String) {
        guard unlink(path) != 0, errno != ENOENT else { return }
        for name in entries(path) { remove(path + "/" + name) }
        rmdir(path)
    }

    /// Whether something can be executed.
    static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }

    /// All of a small file; empty if it can't be read.
    static func text(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes a file.
    static func write(_ text: String, to path: String) throws(BenchmarkFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw BenchmarkFailure("'\(path)' can't be written: \(String(cString: strerror(errno)))")
        }
        Platform.write(text, to: descriptor)
        close(descriptor)
    }

    /// Writes content to a file.
    static func write(_ content: OriginContent, size: Int64, to path: String) throws(BenchmarkFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw BenchmarkFailure("'\(path)' can't be written: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 4096)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while offset < size {
            let count = Int(min(Int64(buffer.count), size - offset))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            content.fill(part, from: offset)
            let written = pwrite(descriptor, part.baseAddress, count, off_t(offset))
            guard written > 0 else {
                throw BenchmarkFailure("'\(path)' can't be written: \(String(cString: strerror(errno)))")
            }
            offset += Int64(written)
        }
        // Written back now, and not while the first contender runs.
        fdatasync(descriptor)
    }

    /// Compares a file with what it should be.
    ///
    /// - Returns: what is wrong; nil if nothing is.
    static func difference(_ path: String, from content: OriginContent, size: Int64) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "there is no file" }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return "the file can't be read" }
        guard Int64(facts.st_size) == size else { return "\(facts.st_size) bytes instead of \(size)" }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 4096)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while offset < size {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            guard count > 0 else { return "the file can't be read at \(offset)" }
            let part = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if let place = content.firstDifference(in: part, at: offset) { return "wrong byte at \(place)" }
            offset += Int64(count)
        }
        return nil
    }

    /// Size of a file; nil if there is none.
    static func size(_ path: String) -> Int64? {
        var facts = stat()
        return stat(path, &facts) == 0 ? Int64(facts.st_size) : nil
    }
}
