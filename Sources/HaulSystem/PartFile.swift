package import HaulCore
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The partial file, `NAME.haul`: what all connections of a download write to.
///
/// It is locked from the moment it is opened until the last reference goes. Every function may be called from any
/// thread: reads and writes name their offset.
package final class PartFile: Sendable {
    private let handle: FileHandle
    private let writing = Mutex(())
    private let serialises = Atomic(false)
    /// Whether it is made to be named at once by its final name: nobody else finds it before.
    package let isToBeNamed: Bool

    private init(_ handle: consuming FileHandle, isToBeNamed: Bool = false) {
        self.handle = handle
        self.isToBeNamed = isToBeNamed
    }

    /// Opens and locks a partial file that is there.
    ///
    /// - Parameter path: the file.
    /// - Returns: the file; nil if there is none.
    /// - Throws: an error with `isLocked` if another download is on it; one of kind `refused` if it is no regular file
    ///   of ours with one link that nobody else may write.
    package static func open(_ path: String) throws(SystemError) -> PartFile? {
        do {
            return try acquire(path, .writing)
        } catch let error where error.isNotFound {
            return nil
        }
    }

    /// Opens and locks a partial file, made with mode 0600 if it does not exist.
    ///
    /// What is in it stays.
    ///
    /// - Parameter path: the file.
    /// - Returns: the file.
    /// - Throws: as `open(_:)`, or what open(2) said.
    package static func create(_ path: String) throws(SystemError) -> PartFile { try acquire(path, .creating) }

    /// Makes and locks a partial file where there is none, with mode 0600.
    ///
    /// Another process may find it before it is locked: whether it still has its name is looked at when it gets another.
    ///
    /// - Parameter path: the file.
    /// - Returns: the file.
    /// - Throws: an error with `isExists` if something bears the name, were it a link that leads nowhere; an error with
    ///   `isLocked`; or what open(2) said.
    package static func createNew(_ path: String) throws(SystemError) -> PartFile {
        let handle = try FileHandle(path, .creatingNew)
        try handle.lock()
        return PartFile(handle)
    }

    /// Gives a file the partial's name, and opens and locks it: rename(2), chmod as for a new partial.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - part: the partial's path; a partial that is there is replaced.
    /// - Returns: the partial.
    /// - Throws: what a call said; as `open(_:)`.
    package static func adopt(_ path: String, as part: String) throws(SystemError) -> PartFile {
        if path != part {
            do throws(SystemError) { try Syscalls.renameFile(path, to: part) } catch { throw error.atOwnName }
        }
        return try acquire(part, .writing)
    }

    /// Makes a partial without a name, which is gone with the last reference.
    ///
    /// - Parameter directory: where its blocks are.
    /// - Returns: the file.
    /// - Throws: what open(2) said.
    package static func unnamed(in directory: String) throws(SystemError) -> PartFile {
        PartFile(try FileHandle(unnamedIn: directory))
    }

    /// Makes a partial that has no name until it is published, and is gone with the last reference if it is not.
    ///
    /// Nobody can find it, so it needs no lock, and has the finished file's mode from the beginning.
    ///
    /// - Parameters:
    ///   - path: the name that it will be published as.
    ///   - mode: permission bits, less those that the process takes from new files.
    /// - Returns: the file.
    /// - Throws: what open(2) said; an error with `isUnsupported` if the file system has no such files, or none whose sync
    ///   lasts.
    package static func toBeNamed(_ path: String, mode: UInt32) throws(SystemError) -> PartFile {
        PartFile(try FileHandle(toBeNamed: path, mode: mode), isToBeNamed: true)
    }

    private static func acquire(_ path: String, _ access: FileHandle.Access) throws(SystemError) -> PartFile {
        // Between open and lock the owner may have published or discarded the file: then the lock is on a file without
        // this name, and another process may be on a new one. Each round needs such a coincidence again.
        for _ in 0..<100 {
            let handle = try FileHandle(path, access)
            try handle.checkOwnership()
            try handle.lock()
            if try handle.isNamed(path) { return PartFile(handle) }
        }
        throw SystemError(.flock, number: EWOULDBLOCK, path: path)
    }

    /// The path.
    package var path: String { handle.path }

    /// Whether writes take turns.
    ///
    /// Several threads that write one file spin on the inode's lock in the kernel: with more than one loop, turns halve
    /// the kernel's share of the CPU at the same wall time.
    package var serialisesWrites: Bool {
        get { serialises.load(ordering: .relaxed) }
        set { serialises.store(newValue, ordering: .relaxed) }
    }

    /// Lets go of the lock although others still hold the file, such as a check that has not noticed the end: flock(2).
    ///
    /// Nothing may be written from then on.
    package func unlock() {
        if !isToBeNamed { handle.unlock() }
    }

    /// Size in bytes, preallocated ones included: fstat(2).
    package func size() throws(SystemError) -> Int64 { try handle.size() }

    /// Writes all bytes at an offset: pwrite(2).
    ///
    /// - Parameters:
    ///   - bytes: what to write.
    ///   - offset: where.
    /// - Throws: what pwrite(2) said; a part may have been written.
    package func write(_ bytes: RawSpan, at offset: Int64) throws(SystemError) {
        try unsafe bytes.withUnsafeBytes { (buffer) throws(SystemError) in try unsafe write(buffer, at: offset) }
    }

    func write(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
        guard serialisesWrites else { return try unsafe handle.write(buffer, at: offset) }
        try writing.withLock { (_) throws(SystemError) in try unsafe handle.write(buffer, at: offset) }
    }

    /// Reads at an offset until the buffer is full or the file ends: pread(2).
    ///
    /// - Parameters:
    ///   - buffer: where to put the bytes.
    ///   - offset: where to begin.
    /// - Returns: the number of bytes read; less than asked for only at the end of the file.
    /// - Throws: what pread(2) said.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        try unsafe handle.read(into: buffer, at: offset)
    }

    /// Reads a range.
    ///
    /// - Parameter range: what to read.
    /// - Returns: the bytes; fewer where the file ends.
    /// - Throws: what pread(2) said.
    package func read(_ range: ByteRange) throws(SystemError) -> [UInt8] { try handle.read(range) }

    /// Makes sure that there is room for the file to become `size` bytes long, and reserves it where that is possible.
    ///
    /// fallocate(2), then ftruncate(2), then nothing; never posix_fallocate(3), which writes zeros where the file system
    /// cannot reserve. Blocks that the file occupies already are not asked for again.
    ///
    /// - Parameter size: what the file will hold.
    /// - Throws: an error with `isNoSpace` if there is no room. That the file system can't reserve is no error.
    package func preallocate(_ size: Int64) throws(SystemError) {
        let needed = size - (try handle.allocatedSize())
        if needed > 0 {
            // A file system that does not say what it has free (some report 0 for "unknown") finds out when writing.
            if let available = try? handle.availableBytes(), available < needed, available > 0 {
                throw SystemError(
                    .fstatvfs, number: ENOSPC, path: path,
                    detail: "\(needed) bytes are needed and \(available) are free")
            }
        }
        do {
            try handle.allocate(size)
        } catch let error where !error.isNoSpace {
            do { try handle.resize(size) } catch let error where !error.isNoSpace { return }
        }
    }

    /// Sets the size; the bytes behind it are gone: ftruncate(2).
    package func truncate(_ size: Int64 = 0) throws(SystemError) { try handle.resize(size) }

    /// Gives the blocks of a range back, if the file system can: fallocate(2) with FALLOC_FL_PUNCH_HOLE.
    ///
    /// A hint without errors.
    package func release(_ range: ByteRange) { try? handle.punchHole(range) }

    /// Starts writing a range to the disk and does not wait, so that the final sync finds little to do:
    /// sync_file_range(2).
    ///
    /// A hint without errors.
    package func startWriteback(_ range: ByteRange) { handle.startWriteback(range) }

    /// Starts writing the whole file to the disk and does not wait.
    func startWriteback() { handle.startWriteback(ByteRange(0, .max)) }

    /// Number of the file system that it is on.
    func device() throws(SystemError) -> UInt64 { try handle.device() }

    /// Waits until everything on its file system is on the disk; false where that can't be done.
    func syncFileSystem() throws(SystemError) -> Bool { try handle.syncFileSystem() }

    /// Waits until data, mode and time are on the disk: fsync(2).
    package func sync() throws(SystemError) { try handle.sync() }

    /// Whether the path still names this file.
    package func isStillNamed() throws(SystemError) -> Bool { try handle.isNamed(path) }

    /// Gives a partial that is to be named its name: linkat(2).
    func takeFirstName(_ target: String) throws(SystemError) { try handle.takeName(target) }

    /// Takes the name away: unlink(2).
    package func unlink() throws(SystemError) { try Syscalls.unlinkFile(path) }

    /// Takes the name away if the path still names this file; a failure leaves it there.
    package func unlinkIfNamed() {
        if (try? isStillNamed()) == true { try? unlink() }
    }

    /// Sets the permission bits: fchmod(2).
    package func setMode(_ mode: UInt32) throws(SystemError) { try handle.setMode(mode) }

    /// Sets the modification time, in seconds since 1970: futimens(3).
    package func setModificationTime(_ seconds: Int64) throws(SystemError) {
        try handle.setModificationTime(seconds)
    }
}
