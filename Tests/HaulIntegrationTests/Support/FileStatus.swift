import Glibc
import HaulTestSupport

/// What the system says about a file, links not followed.
struct FileStatus: Equatable {
    /// Permissions.
    var mode: UInt32
    /// Kind, as in `S_IFMT`.
    var kind: UInt32
    /// Number of bytes.
    var size: Int64
    /// Time of the last change in seconds and nanoseconds.
    var modified: [Int]
    /// Which file it is.
    var inode: UInt64
    /// Number of its names.
    var links: Int

    /// Looks at `path`.
    init(_ path: String) throws(ProcessError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw ProcessError(call: "lstat", path: path, code: errno) }
        mode = status.st_mode & 0o7777
        kind = status.st_mode & S_IFMT
        size = Int64(status.st_size)
        modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        inode = UInt64(status.st_ino)
        links = Int(status.st_nlink)
    }
}
