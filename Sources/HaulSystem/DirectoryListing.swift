#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What is in a directory.
package enum DirectoryListing {
    /// Names of what is in a directory, itself and its parent left out, in no order: opendir(3), readdir(3).
    ///
    /// - Parameter path: the directory; empty is the current one. Symbolic links are followed.
    /// - Returns: the names; those that are no UTF-8 are left out, since haul gives none such.
    /// - Throws: what opendir(3) said.
    package static func names(in path: String) throws(SystemError) -> [String] {
        guard let directory = unsafe opendir(path.isEmpty ? "." : path) else {
            throw SystemError(.open, number: errno, path: path)
        }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee))
                {
                    unsafe String(validatingCString: $0)
                }
            }
            if let name, name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
