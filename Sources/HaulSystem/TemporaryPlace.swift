#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where files go that nobody is to find.
package enum TemporaryPlace {
    /// The environment's `TMPDIR`, or `/tmp`: getenv(3).
    package static var directory: String {
        guard let text = unsafe getenv("TMPDIR") else { return "/tmp" }
        let path = unsafe String(cString: text)
        return path.isEmpty ? "/tmp" : path
    }
}
