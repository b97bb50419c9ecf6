package import HaulCore

/// A call that changed files or waited for the disk, as a recording holds it.
///
/// What a power cut may leave follows from these and nothing else. Files are told apart by their inode's number.
package enum FileOperation: Hashable, Sendable {
    /// What a sync promises when it succeeds.
    package enum Promise: Hashable, Sendable {
        /// Bytes and size: fdatasync(2).
        case data
        /// Mode and time too, or a directory's names: fsync(2).
        case everything
        /// Everything on the file system: syncfs(2).
        case fileSystem
    }

    /// An empty file was made: open(2).
    case create(file: UInt64, path: String)
    /// An empty file without a name was made: open(2), O_TMPFILE.
    case createUnnamed(file: UInt64)
    /// Bytes were handed to the kernel: pwrite(2).
    case write(file: UInt64, offset: Int64, bytes: [UInt8])
    /// The size was set: ftruncate(2).
    case resize(file: UInt64, size: Int64)
    /// Blocks were reserved and the size raised: fallocate(2).
    case allocate(file: UInt64, size: Int64)
    /// A range was given back and reads as zeros: fallocate(2).
    case punchHole(file: UInt64, range: ByteRange)
    /// Permission bits were set: fchmod(2).
    case setMode(file: UInt64, mode: UInt32)
    /// The modification time was set, in seconds since 1970: futimens(3).
    case setModificationTime(file: UInt64, seconds: Int64)
    /// A sync began: only what came before can be on the disk when it ends.
    case syncBegan(file: UInt64, path: String, Promise)
    /// The sync ended; after a failure the kernel may take what is not on the disk for written.
    case syncEnded(file: UInt64, path: String, Promise, succeeded: Bool)
    /// A file got another name, and what bore it is gone: rename(2), renameat2(2).
    case rename(source: String, target: String)
    /// A file got a second name: link(2).
    case link(source: String, target: String)
    /// A file without a name got one: linkat(2).
    case name(file: UInt64, target: String)
    /// A name is gone: unlink(2).
    case unlink(path: String)
}
