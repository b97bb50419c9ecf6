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
    /// - Parameters:
    ///   - path: the directory; empty is the current one. Symbolic links are followed.
    ///   - suffixes: how names end that are wanted; none is all names.
    ///   - limit: how many entries are looked at.
    /// - Returns: the names; those that are no UTF-8 are left out, since haul gives none such. Nil if there are more entries
    ///   than the limit.
    /// - Throws: what opendir(3) said.
    package static func names(
        in path: String, endingIn suffixes: [String] = [], limit: Int = .max
    ) throws(SystemError) -> [String]? {
        guard let directory = unsafe opendir(path.isEmpty ? "." : path) else {
            throw SystemError(.open, number: errno, path: path)
        }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        var seen = 0
        while let entry = unsafe readdir(directory) {
            seen += 1
            // Itself and its parent.
            guard seen - 2 <= limit else { return nil }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field -> String? in
                unsafe field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)) {
                    let name = unsafe $0
                    let isWanted = suffixes.isEmpty || suffixes.contains { unsafe ends(name, in: $0) }
                    return isWanted ? unsafe String(validatingCString: name) : nil
                }
            }
            if let name, name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func ends(_ name: UnsafePointer<CChar>, in suffix: String) -> Bool {
        let length = unsafe strlen(name)
        guard length >= suffix.utf8.count else { return false }
        return unsafe strcmp(name + (length - suffix.utf8.count), suffix) == 0
    }
}
