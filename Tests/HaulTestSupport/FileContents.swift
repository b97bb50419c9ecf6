import Glibc
package import HaulOrigin

/// Compares, writes and reads files in tests, never holding them in memory.
package enum FileContents {
    /// How a file differs from the content it should have.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - resource: whose bytes it should hold, all of them and no more.
    /// - Returns: a sentence, nil if nothing differs.
    package static func difference(of path: String, from resource: OriginResource) -> String? {
        difference(of: path, from: resource.content, in: 0..<resource.size, isWhole: true)
    }

    /// How a part of a file differs from the content it should have.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - content: what it should hold.
    ///   - range: which bytes to compare.
    ///   - isWhole: whether the file has to end where the range does.
    /// - Returns: a sentence, nil if nothing differs.
    package static func difference(
        of path: String, from content: OriginContent, in range: Range<Int64>, isWhole: Bool = false
    ) -> String? {
        guard let size = size(of: path) else { return "\(path) can't be read" }
        if isWhole, size != range.upperBound { return "\(path) has \(size) bytes, not \(range.upperBound)" }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "\(path) can't be read" }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 4096)
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let wanted = Int(min(Int64(buffer.count), range.upperBound - offset))
            let count = pread(descriptor, buffer.baseAddress, wanted, off_t(offset))
            guard count > 0 else { return "\(path) ends at \(offset)" }
            let part = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if let wrong = content.firstDifference(in: part, at: offset) { return "\(path) is wrong at \(wrong)" }
            offset += Int64(count)
        }
        return nil
    }

    /// Writes content into a file, which is made if it isn't there, at the content's own offsets.
    ///
    /// - Parameters:
    ///   - content: what to write.
    ///   - range: which bytes of it.
    ///   - path: the file.
    /// - Throws: `ProcessError` when it can't be written.
    package static func write(
        _ content: OriginContent, _ range: Range<Int64>, to path: String
    ) throws(ProcessError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw ProcessError(call: "open", path: path, code: errno) }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 4096)
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let wanted = Int(min(Int64(buffer.count), range.upperBound - offset))
            content.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), from: offset)
            let count = pwrite(descriptor, buffer.baseAddress, wanted, off_t(offset))
            guard count > 0 else { throw ProcessError(call: "pwrite", path: path, code: errno) }
            offset += Int64(count)
        }
    }

    /// Writes bytes to a file at an offset, or in place of what it held.
    ///
    /// - Parameters:
    ///   - bytes: what to write.
    ///   - path: the file, made if it isn't there.
    ///   - offset: where; nil empties the file first and writes to its beginning.
    /// - Throws: `ProcessError` when it can't be written.
    package static func write(_ bytes: [UInt8], to path: String, at offset: Int64? = nil) throws(ProcessError) {
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (offset == nil ? O_TRUNC : 0)
        let descriptor = open(path, flags, 0o644)
        guard descriptor >= 0 else { throw ProcessError(call: "open", path: path, code: errno) }
        defer { close(descriptor) }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                pwrite(descriptor, all.baseAddress.map { $0 + done }, all.count - done, off_t(offset ?? 0) + done)
            }
            guard count > 0 else { throw ProcessError(call: "pwrite", path: path, code: errno) }
            done += count
        }
    }

    /// All bytes of a small file.
    ///
    /// - Parameter path: the file.
    /// - Returns: its bytes.
    /// - Throws: `ProcessError` when it can't be read.
    package static func read(_ path: String) throws(ProcessError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ProcessError(call: "open", path: path, code: errno) }
        var bytes: [UInt8] = []
        Descriptor.readAll(descriptor, until: { false }) { bytes += $0 }
        return bytes
    }

    /// Number of bytes of a file, nil if there is none.
    package static func size(of path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Whether there is anything at `path`, be it a link to nowhere.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Names of everything in a directory, sorted.
    package static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
