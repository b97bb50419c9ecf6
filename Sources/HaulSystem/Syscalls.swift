import CSystem
import HaulCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One function per system call on files, each with its rule for EINTR: the only way from haul to the disk.
///
/// Calls that may be interrupted are made again, except close(2), after which the descriptor is gone in any case. The
/// path is for messages and for `FaultPlan`; calls on descriptors don't look at it.
enum Syscalls {
    /// Opens a file, never through a symbolic link as last part and never inherited: open(2).
    static func openFile(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(SystemError) -> Int32 {
        let isNew = mayCreate(path, flags)
        let descriptor = try repeating(.open, path) {
            unsafe open(path, flags | O_CLOEXEC | O_NOFOLLOW, mode)
        }
        if isNew { note(path, .create(file: number(of: descriptor), path: path)) }
        return descriptor
    }

    /// Closes a descriptor; a failure here says nothing about data, that is what syncing is for: close(2).
    static func closeFile(_ descriptor: Int32, _ path: String) {
        _ = disturbed(.close, path)
        _ = close(descriptor)
    }

    /// Reads at an offset; may read less, 0 is the end of the file: pread(2).
    static func readBytes(
        _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64, _ path: String
    ) throws(SystemError) -> Int {
        try moving(.pread, path, buffer.count) { count in
            unsafe pread(descriptor, buffer.baseAddress, count, off_t(offset))
        }
    }

    /// Writes at an offset; may write less: pwrite(2).
    static func writeBytes(
        _ descriptor: Int32, _ buffer: UnsafeRawBufferPointer, _ offset: Int64, _ path: String
    ) throws(SystemError) -> Int {
        let count = try moving(.pwrite, path, buffer.count) { count in
            unsafe pwrite(descriptor, buffer.baseAddress, count, off_t(offset))
        }
        note(path, .write(file: number(of: descriptor), offset: offset, bytes: unsafe [UInt8](buffer.prefix(count))))
        return count
    }

    /// Type, owner, links and size of an open file: fstat(2).
    static func facts(of descriptor: Int32, _ path: String) throws(SystemError) -> stat {
        var facts = stat()
        try repeating(.fstat, path) {
            unsafe fstat(descriptor, &facts)
        }
        return facts
    }

    /// The same of what a path names, a symbolic link itself included: lstat(2).
    static func facts(at path: String) throws(SystemError) -> stat {
        var facts = stat()
        try repeating(.lstat, path) {
            unsafe lstat(path, &facts)
        }
        return facts
    }

    /// The same of what a path leads to: stat(2).
    static func factsFollowing(_ path: String) throws(SystemError) -> stat {
        var facts = stat()
        try repeating(.lstat, path) { unsafe stat(path, &facts) }
        return facts
    }

    /// Bytes that an unprivileged user may still write on a file's file system: fstatvfs(3).
    static func availableBytes(_ descriptor: Int32, _ path: String) throws(SystemError) -> Int64 {
        var facts = statvfs()
        try repeating(.fstatvfs, path) { unsafe fstatvfs(descriptor, &facts) }
        let (bytes, overflow) = UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize))
        return overflow ? .max : Int64(clamping: bytes)
    }

    /// Takes the exclusive lock or fails at once: flock(2).
    static func lock(_ descriptor: Int32, _ path: String) throws(SystemError) {
        try repeating(.flock, path) { flock(descriptor, LOCK_EX | LOCK_NB) }
    }

    /// Lets go of the lock before the descriptor is closed; nothing can go wrong that matters: flock(2).
    static func unlock(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }

    /// Sets the size: ftruncate(2).
    static func setSize(_ descriptor: Int32, _ size: Int64, _ path: String) throws(SystemError) {
        try repeating(.ftruncate, path) { ftruncate(descriptor, off_t(size)) }
        note(path, .resize(file: number(of: descriptor), size: size))
    }

    /// Reserves blocks from the start and sets the size: fallocate(2).
    static func allocate(_ descriptor: Int32, _ size: Int64, _ path: String) throws(SystemError) {
        try repeating(.fallocate, path) { haul_fallocate(descriptor, 0, size) }
        note(path, .allocate(file: number(of: descriptor), size: size))
    }

    /// Reserves blocks and leaves the size alone: fallocate(2), FALLOC_FL_KEEP_SIZE.
    static func allocateKeepingSize(_ descriptor: Int32, _ length: Int64, _ path: String) throws(SystemError) {
        try repeating(.fallocate, path) { haul_fallocate_keeping_size(descriptor, 0, length) }
    }

    /// Gives the blocks of a range back: fallocate(2), FALLOC_FL_PUNCH_HOLE.
    static func punchHole(
        _ descriptor: Int32, _ offset: Int64, _ length: Int64, _ path: String
    ) throws(SystemError) {
        try repeating(.fallocate, path) { haul_punch_hole(descriptor, offset, length) }
        note(path, .punchHole(file: number(of: descriptor), range: ByteRange(offset, offset + length)))
    }

    /// Opens a file without a name: open(2), O_TMPFILE.
    static func openUnnamed(in directory: String, mode: mode_t, _ path: String) throws(SystemError) -> Int32 {
        let descriptor = try repeating(.open, path) { unsafe haul_open_unnamed(directory, UInt32(mode)) }
        note(path, .createUnnamed(file: number(of: descriptor)))
        return descriptor
    }

    /// Opens a file without a name that is to get one: open(2), O_TMPFILE, fstatfs(2).
    ///
    /// Unsupported, too, where it might be named without its bytes after a power cut, although both were synced.
    static func openToBeNamed(in directory: String, mode: mode_t, _ path: String) throws(SystemError) -> Int32 {
        let descriptor = try openUnnamed(in: directory, mode: mode, path)
        guard haul_syncs_unnamed(descriptor) == 1 else {
            closeFile(descriptor, path)
            throw SystemError(.open, number: EOPNOTSUPP, path: path)
        }
        return descriptor
    }

    /// Gives a file without a name one, unless something bears it: linkat(2).
    static func nameFile(_ descriptor: Int32, _ target: String) throws(SystemError) {
        try repeating(.linkat, target) { unsafe haul_name_file(descriptor, target) }
        note(target, .name(file: number(of: descriptor), target: target))
    }

    /// Opens a descriptor's file a second time: fcntl(2), F_DUPFD_CLOEXEC.
    static func duplicate(_ descriptor: Int32, _ path: String) throws(SystemError) -> Int32 {
        try repeating(.dup, path) { haul_duplicate(descriptor) }
    }

    /// Writes where the descriptor is; may write less: write(2).
    static func writeNext(
        _ descriptor: Int32, _ buffer: UnsafeRawBufferPointer, _ path: String
    ) throws(SystemError) -> Int {
        try moving(.write, path, buffer.count) { count in unsafe write(descriptor, buffer.baseAddress, count) }
    }

    /// Waits until a descriptor takes bytes, for `milliseconds` at most: poll(2).
    static func waitUntilWritable(_ descriptor: Int32, milliseconds: Int32) {
        var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&item, 1, milliseconds)
    }

    /// Starts writing a range to the disk without waiting: sync_file_range(2).
    ///
    /// A hint, so failures are no news.
    static func startWriteback(_ descriptor: Int32, _ offset: Int64, _ length: Int64, _ path: String) {
        guard disturbed(.startWriteback, path) == nil else { return }
        _ = haul_start_writeback(descriptor, offset, length)
    }

    /// Sets permission bits: fchmod(2).
    static func setMode(_ descriptor: Int32, _ mode: mode_t, _ path: String) throws(SystemError) {
        try repeating(.fchmod, path) { fchmod(descriptor, mode) }
        note(path, .setMode(file: number(of: descriptor), mode: UInt32(mode)))
    }

    /// Sets the modification time and leaves the access time: futimens(3).
    static func setModificationTime(
        _ descriptor: Int32, seconds: Int64, _ path: String
    ) throws(SystemError) {
        #if canImport(Darwin)
            let access = timespec(tv_sec: 0, tv_nsec: Int(UTIME_OMIT))
        #else
            // UTIME_OMIT, a macro that Swift does not see.
            let access = timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)
        #endif
        let times = [access, timespec(tv_sec: time_t(seconds), tv_nsec: 0)]
        try repeating(.futimens, path) { unsafe futimens(descriptor, times) }
        note(path, .setModificationTime(file: number(of: descriptor), seconds: seconds))
    }

    /// Waits until data, and what is needed to find it, are on the disk: fdatasync(2).
    static func syncData(_ descriptor: Int32, _ path: String) throws(SystemError) {
        try syncing(descriptor, path, .data, .fdatasync) { haul_datasync(descriptor) }
    }

    /// The same for everything on the file system: syncfs(2).
    static func syncFileSystem(_ descriptor: Int32, _ path: String) throws(SystemError) {
        try syncing(descriptor, path, .fileSystem, .syncfs) { haul_sync_file_system(descriptor) }
    }

    /// The same for everything, of a directory too: fsync(2).
    static func sync(_ descriptor: Int32, _ path: String) throws(SystemError) {
        try syncing(descriptor, path, .everything, .fsync) { haul_sync(descriptor) }
    }

    /// Gives a file another name, replacing what bears it: rename(2).
    static func renameFile(_ source: String, to target: String) throws(SystemError) {
        try repeating(.rename, target) { unsafe rename(source, target) }
        note(target, .rename(source: source, target: target))
    }

    /// Gives a file another name unless something bears it: renameat2(2), RENAME_NOREPLACE.
    static func renameFileExclusively(_ source: String, to target: String) throws(SystemError) {
        try repeating(.renameat2, target) { unsafe haul_rename_exclusively(source, target) }
        note(target, .rename(source: source, target: target))
    }

    /// Gives a file a second name unless something bears it: link(2).
    static func linkFile(_ source: String, _ target: String) throws(SystemError) {
        try repeating(.link, target) { unsafe link(source, target) }
        note(target, .link(source: source, target: target))
    }

    /// Takes a name away: unlink(2).
    static func unlinkFile(_ path: String) throws(SystemError) {
        try repeating(.unlink, path) { unsafe unlink(path) }
        note(path, .unlink(path: path))
    }

    /// Whether the process may write into a directory: access(2).
    static func checkWritable(_ path: String) throws(SystemError) {
        try repeating(.access, path) { unsafe access(path, W_OK | X_OK) }
    }

    /// The identity that files must belong to: geteuid(2).
    static func effectiveUser() -> uid_t { geteuid() }

    /// The text of an error number: strerror_r(3).
    static func text(of number: Int32) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress, unsafe strerror_r(number, start, 256) == 0 else {
                return "error \(number)"
            }
            return unsafe String(cString: start)
        }
    }

    // MARK: - Rules

    /// Makes a call until it is not interrupted.
    @discardableResult
    private static func repeating(
        _ call: SystemCall, _ path: String, _ body: () -> Int32
    ) throws(SystemError) -> Int32 {
        while true {
            var number: Int32
            if let fault = disturbed(call, path) {
                number = fault
            } else {
                let result = body()
                if result >= 0 { return result }
                number = errno
            }
            if number != EINTR { throw SystemError(call, number: number, path: path) }
        }
    }

    /// Makes a call that moves bytes until it is not interrupted.
    private static func moving(
        _ call: SystemCall, _ path: String, _ length: Int, _ body: (Int) -> Int
    ) throws(SystemError) -> Int {
        while true {
            var number: Int32
            var length = length
            if let fault = disturbed(call, path, &length) {
                number = fault
            } else {
                let result = body(length)
                if result >= 0 { return result }
                number = errno
            }
            if number != EINTR { throw SystemError(call, number: number, path: path) }
        }
    }

    /// Makes a call that waits for the disk.
    private static func syncing(
        _ descriptor: Int32, _ path: String, _ promise: FileOperation.Promise, _ call: SystemCall, _ body: () -> Int32
    ) throws(SystemError) {
        note(path, .syncBegan(file: number(of: descriptor), path: path, promise))
        do throws(SystemError) {
            try repeating(call, path, body)
        } catch {
            note(path, .syncEnded(file: number(of: descriptor), path: path, promise, succeeded: false))
            throw error
        }
        note(path, .syncEnded(file: number(of: descriptor), path: path, promise, succeeded: true))
    }

    #if DEBUG
        private static func note(_ path: String, _ operation: @autoclosure () -> FileOperation) {
            OperationRecording.note(path, operation)
        }

        private static func number(of descriptor: Int32) -> UInt64 {
            var facts = stat()
            return unsafe fstat(descriptor, &facts) == 0 ? UInt64(facts.st_ino) : 0
        }

        private static func mayCreate(_ path: String, _ flags: Int32) -> Bool {
            var facts = stat()
            guard flags & O_CREAT != 0 else { return false }
            return unsafe lstat(path, &facts) != 0
        }

        private static func disturbed(_ call: SystemCall, _ path: String) -> Int32? {
            var length = 0
            return disturbed(call, path, &length)
        }

        private static func disturbed(_ call: SystemCall, _ path: String, _ length: inout Int) -> Int32? {
            switch FaultPlan.fault(call, path) {
            case .error(let number): return number
            case .short(let limit): length = min(length, limit)
            case nil: break
            }
            return nil
        }
    #else
        @inline(__always)
        private static func note(_ path: String, _ operation: @autoclosure () -> FileOperation) {}

        @inline(__always)
        private static func number(of descriptor: Int32) -> UInt64 { 0 }

        @inline(__always)
        private static func mayCreate(_ path: String, _ flags: Int32) -> Bool { false }

        @inline(__always)
        private static func disturbed(_ call: SystemCall, _ path: String) -> Int32? { nil }

        @inline(__always)
        private static func disturbed(_ call: SystemCall, _ path: String, _ length: inout Int) -> Int32? { nil }
    #endif
}
