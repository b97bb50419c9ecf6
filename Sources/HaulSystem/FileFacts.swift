package import HaulCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a path names.
package struct FileFacts: Hashable, Sendable {
    /// Whether it is a regular file.
    package let isRegular: Bool
    /// Whether it is a directory.
    package let isDirectory: Bool
    /// Whether it is a symbolic link.
    package let isLink: Bool
    /// Size in bytes.
    package let size: Int64
    /// Last modification, in seconds since 1970.
    package let modificationTime: Int64

    /// Looks at what a path names, not following a symbolic link as its last part: lstat(2).
    ///
    /// - Parameter path: the path.
    /// - Returns: nil if nothing is there.
    /// - Throws: what lstat(2) said, unless it is that nothing is there.
    package static func of(_ path: String) throws(SystemError) -> FileFacts? {
        do { return FileFacts(try Syscalls.facts(at: path)) } catch let error where error.isNotFound { return nil }
    }

    /// Whether a path names anything, a symbolic link that leads nowhere too: lstat(2).
    ///
    /// What can't be looked at is not there: whoever opens it is told why.
    package static func exists(_ path: String) -> Bool { (try? Syscalls.facts(at: path)) != nil }

    /// The same of what symbolic links lead to: stat(2).
    ///
    /// - Parameter path: the path.
    /// - Returns: nil if nothing is there.
    /// - Throws: what stat(2) said, unless it is that nothing is there.
    package static func following(_ path: String) throws(SystemError) -> FileFacts? {
        do { return FileFacts(try Syscalls.factsFollowing(path)) } catch let error where error.isNotFound { return nil }
    }

    /// Longest name that most file systems take, in bytes: `NAME_MAX`.
    private static let longestName = 255

    /// Makes sure that files can be made in the directory of a path, and with its name: stat(2), access(2).
    ///
    /// - Parameter path: the path of a file.
    /// - Throws: why none can be made there.
    package static func checkPlace(of path: String) throws(SystemError) {
        let parts = PathParts(path)
        try checkDirectory(parts.parent)
        guard parts.name.utf8.count <= longestName else { throw SystemError(.lstat, number: ENAMETOOLONG, path: path) }
    }

    /// Makes sure that a directory is there and files can be made in it: stat(2), access(2).
    ///
    /// - Parameter path: the directory; empty is the current one.
    /// - Throws: why no file can be made there.
    package static func checkDirectory(_ path: String) throws(SystemError) {
        let path = path.isEmpty ? "." : path
        guard let facts = try following(path) else {
            throw SystemError(.lstat, number: ENOENT, path: path, detail: "there is no such directory")
        }
        guard facts.isDirectory else {
            throw SystemError(.lstat, number: ENOTDIR, path: path, detail: "is not a directory")
        }
        try Syscalls.checkWritable(path)
    }

    /// Reads a range of a file that haul does not own, such as a finished one.
    ///
    /// - Parameters:
    ///   - path: the file; symbolic links as its last part are refused.
    ///   - range: what to read.
    /// - Returns: the bytes; fewer where the file ends.
    /// - Throws: what open(2) or pread(2) said.
    package static func read(_ path: String, _ range: ByteRange) throws(SystemError) -> [UInt8] {
        try FileHandle(path, .reading).read(range)
    }

    private init(_ facts: stat) {
        isRegular = facts.st_mode & S_IFMT == S_IFREG
        isDirectory = facts.st_mode & S_IFMT == S_IFDIR
        isLink = facts.st_mode & S_IFMT == S_IFLNK
        size = Int64(facts.st_size)
        modificationTime = facts.modificationSeconds
    }
}
