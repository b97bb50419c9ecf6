#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A directory of its own that vanishes, with the files in it, when dropped.
struct TemporaryDirectory: ~Copyable {
    /// Where it is.
    let path: String

    /// Makes it in `$TMPDIR` or `/tmp`, or is nil when it can't be made.
    ///
    /// `mkdtemp(3)`.
    init?() {
        let parent = Platform.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array((parent + "/haul-demo.XXXXXX").utf8CString)
        guard let made = mkdtemp(&template) else { return nil }
        path = String(cString: made)
    }

    deinit {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { unlink(path + "/" + name) }
            }
            closedir(directory)
        }
        rmdir(path)
    }

    /// Path of a file in it.
    func file(_ name: String) -> String { path + "/" + name }
}
