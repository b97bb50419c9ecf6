/// A path, taken apart at its last slash.
package struct PathParts: Hashable, Sendable {
    /// The directory with its slash; empty for the current one.
    package let directory: Substring
    /// The last part; empty where the path ends in a slash.
    package let name: Substring

    /// The directory as a path of its own: `.` for the current one, and no slash at the end unless it is the root.
    package var parent: String {
        directory.isEmpty ? "." : String(directory.utf8.count == 1 ? directory : directory.dropLast())
    }

    /// Takes a path apart; both parts together are the path again.
    package init(_ path: String) {
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        (directory, name) = (path[..<start], path[start...])
    }
}
