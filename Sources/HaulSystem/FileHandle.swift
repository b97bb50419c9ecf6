package import HaulCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An open file: closed when its one owner lets go of it.
package struct FileHandle: ~Copyable, Sendable {
    /// How a file is opened.
    package enum Access: Sendable {
        /// For reading; the file must exist.
        case reading
        /// For reading and writing; the file must exist.
        case writing
        /// For reading and writing; made with mode 0600 if it does not exist.
        case creating
        /// For reading and writing; made with mode 0600, an error if it exists.
        case creatingNew
    }

    private let descriptor: Int32
    /// The path it was opened with.
    package let path: String

    /// Opens a file.
    ///
    /// A symbolic link as last part of the path is an error (ELOOP): open(2).
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - access: what for.
    /// - Throws: what open(2) said.
    package init(_ path: String, _ access: Access) throws(SystemError) {
        // O_NONBLOCK: a FIFO in the file's place must not make the open wait. It means nothing for regular files.
        let flags =
            switch access {
            case .reading: O_RDONLY | O_NONBLOCK
            case .writing: O_RDWR | O_NONBLOCK
            case .creating: O_RDWR | O_CREAT | O_NONBLOCK
            case .creatingNew: O_RDWR | O_CREAT | O_EXCL | O_NONBLOCK
            }
        do {
            descriptor = try Syscalls.openFile(path, flags, mode: 0o600)
        } catch let error where error.number == ELOOP {
            throw SystemError(refusing: path, because: "is a symbolic link")
        } catch let error where error.number == ENXIO {
            throw SystemError(refusing: path, because: "is no regular file")
        }
        self.path = path
    }

    /// Makes a file without a name, which is gone when it is closed: open(2) with O_TMPFILE, or open(2) and unlink(2).
    ///
    /// - Parameter directory: where its blocks are.
    /// - Throws: what open(2) said.
    package init(unnamedIn directory: String) throws(SystemError) {
        path = directory + "/(temporary file)"
        do {
            descriptor = try Syscalls.openUnnamed(in: directory, mode: 0o600, path)
            return
        } catch let error where error.isUnsupported || error.number == EISDIR || error.number == ENOENT {}
        let name = "\(directory)/.haul-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        descriptor = try Syscalls.openFile(name, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        try? Syscalls.unlinkFile(name)
    }

    /// Makes a file that has no name yet: open(2) with O_TMPFILE.
    ///
    /// Its permission bits are those that the process gives to new files, as far as `mode` has them.
    ///
    /// - Parameters:
    ///   - path: the name that it will get; it is made in that directory.
    ///   - mode: permission bits.
    /// - Throws: what open(2) said, such as that the file system has no such files.
    package init(toBeNamed path: String, mode: UInt32) throws(SystemError) {
        descriptor = try Syscalls.openToBeNamed(in: Self.directory(of: path), mode: mode_t(mode), path)
        self.path = path
    }

    /// Opens the directory that a file is in.
    ///
    /// - Parameter path: the file.
    /// - Throws: what open(2) said.
    package init(directoryOf path: String) throws(SystemError) { try self.init(Self.directory(of: path), .reading) }

    /// The directory of a path, with a slash: it may be a symbolic link, which is not followed as last part.
    private static func directory(of path: String) -> String {
        let directory = PathParts(path).directory
        return directory.isEmpty ? "./" : String(directory)
    }

    deinit { Syscalls.closeFile(descriptor, path) }

    // MARK: - Facts

    /// Size in bytes: fstat(2).
    package func size() throws(SystemError) -> Int64 { Int64(try facts().st_size) }

    /// Bytes that occupy disk blocks, which a sparse file has fewer of than its size: fstat(2).
    package func allocatedSize() throws(SystemError) -> Int64 { Int64(try facts().st_blocks) * 512 }

    /// Bytes that may still be written on this file's file system: fstatvfs(3).
    package func availableBytes() throws(SystemError) -> Int64 { try Syscalls.availableBytes(descriptor, path) }

    func facts() throws(SystemError) -> stat { try Syscalls.facts(of: descriptor, path) }

    /// Makes sure that the file is what haul left: regular, ours, with one link, and writable by nobody else.
    ///
    /// - Throws: an error of kind `refused` that says what is wrong.
    package func checkOwnership() throws(SystemError) {
        let facts = try facts()
        let reason: String? =
            if facts.st_mode & S_IFMT != S_IFREG {
                "is no regular file"
            } else if facts.st_uid != Syscalls.effectiveUser() {
                "belongs to another user"
            } else if facts.st_nlink > 1 {
                "has other hard links"
            } else if facts.st_mode & 0o022 != 0 {
                "is writable by others"
            } else {
                nil
            }
        if let reason { throw SystemError(refusing: path, because: reason) }
    }

    /// Whether a path names this very file: fstat(2), lstat(2).
    package func isNamed(_ path: String) throws(SystemError) -> Bool {
        let mine = try facts()
        do {
            let there = try Syscalls.facts(at: path)
            return there.st_dev == mine.st_dev && there.st_ino == mine.st_ino
        } catch let error where error.isNotFound {
            return false
        }
    }

    // MARK: - Bytes

    /// Writes all bytes at an offset; short writes are gone on with: pwrite(2).
    ///
    /// - Parameters:
    ///   - bytes: what to write.
    ///   - offset: where.
    /// - Throws: what pwrite(2) said; a part may have been written.
    package func write(_ bytes: RawSpan, at offset: Int64) throws(SystemError) {
        try unsafe bytes.withUnsafeBytes { (buffer) throws(SystemError) in try unsafe write(buffer, at: offset) }
    }

    func write(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(SystemError) {
        var done = 0
        while done < buffer.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
            let count = try unsafe Syscalls.writeBytes(descriptor, rest, offset + Int64(done), path)
            // A regular file never takes nothing without an error; a broken file system must not make this spin.
            guard count > 0 else { throw SystemError(.pwrite, number: EIO, path: path) }
            done += count
        }
    }

    /// Reads at an offset until the buffer is full or the file ends: pread(2).
    ///
    /// - Parameters:
    ///   - buffer: where to put the bytes.
    ///   - offset: where to begin.
    /// - Returns: the number of bytes read; less than asked for only at the end of the file.
    /// - Throws: what pread(2) said.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try unsafe Syscalls.readBytes(descriptor, rest, offset + Int64(done), path)
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Reads a range.
    ///
    /// - Parameter range: what to read; its length is what is allocated.
    /// - Returns: the bytes; fewer where the file ends.
    /// - Throws: what pread(2) said.
    package func read(_ range: ByteRange) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(range.length)) { buffer, count in
            do throws(SystemError) {
                count = try unsafe read(into: UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    // MARK: - State

    /// Gives a file that was made to be named its name: linkat(2).
    ///
    /// - Throws: what linkat(2) said; EEXIST if something bears the name.
    package func takeName(_ target: String) throws(SystemError) { try Syscalls.nameFile(descriptor, target) }

    /// Takes the exclusive lock, which dies with the handle and the process: flock(2).
    ///
    /// A file system without locks (ENOLCK, ENOTSUP) goes without: refusing to download there would help nobody.
    ///
    /// - Throws: an error with `isLocked` if another handle holds it.
    package func lock() throws(SystemError) {
        do {
            try Syscalls.lock(descriptor, path)
        } catch let error where error.number == ENOLCK || error.number == ENOTSUP || error.number == ENOSYS {
            return
        }
    }

    /// Lets go of the lock: flock(2).
    package func unlock() { Syscalls.unlock(descriptor) }

    /// Sets the size: ftruncate(2).
    package func resize(_ size: Int64) throws(SystemError) { try Syscalls.setSize(descriptor, size, path) }

    /// Reserves blocks for the first `size` bytes and makes the file that large: fallocate(2).
    package func allocate(_ size: Int64) throws(SystemError) { try Syscalls.allocate(descriptor, size, path) }

    /// Reserves blocks for the first `length` bytes without changing the size.
    package func allocateKeepingSize(_ length: Int64) throws(SystemError) {
        try Syscalls.allocateKeepingSize(descriptor, length, path)
    }

    /// Gives the blocks of a range back; its bytes read as zeros then: fallocate(2) with FALLOC_FL_PUNCH_HOLE.
    package func punchHole(_ range: ByteRange) throws(SystemError) {
        try Syscalls.punchHole(descriptor, range.lowerBound, range.length, path)
    }

    /// Starts writing a range to the disk and does not wait: sync_file_range(2).
    package func startWriteback(_ range: ByteRange) {
        Syscalls.startWriteback(descriptor, range.lowerBound, range.length, path)
    }

    /// Waits until the data are on the disk: fdatasync(2).
    package func syncData() throws(SystemError) { try Syscalls.syncData(descriptor, path) }

    /// Waits until everything on the file system is on the disk: syncfs(2).
    ///
    /// - Returns: false where the system can't do that, or would not report errors.
    /// - Throws: what syncfs(2) said.
    package func syncFileSystem() throws(SystemError) -> Bool {
        do {
            try Syscalls.syncFileSystem(descriptor, path)
            return true
        } catch let error where error.isUnsupported {
            return false
        }
    }

    /// Number of the file system that the file is on: fstat(2).
    package func device() throws(SystemError) -> UInt64 {
        UInt64(truncatingIfNeeded: try Syscalls.facts(of: descriptor, path).st_dev)
    }

    /// Waits until everything is on the disk: fsync(2).
    package func sync() throws(SystemError) { try Syscalls.sync(descriptor, path) }

    /// Sets the permission bits: fchmod(2).
    package func setMode(_ mode: UInt32) throws(SystemError) { try Syscalls.setMode(descriptor, mode_t(mode), path) }

    /// Sets the modification time, in seconds since 1970: futimens(3).
    package func setModificationTime(_ seconds: Int64) throws(SystemError) {
        try Syscalls.setModificationTime(descriptor, seconds: seconds, path)
    }
}
