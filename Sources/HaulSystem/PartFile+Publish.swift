import HaulCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension PartFile {
    /// Gives the file its final name.
    ///
    /// The order is: mode and time, all of it to the disk, name, directory to the disk. A crash at any point leaves
    /// either the partial under its own name, if it has one, or the whole file under the final one, with the time by
    /// which the next run knows it.
    ///
    /// - Parameters:
    ///   - target: the final name. On another file system the file is copied beside it first.
    ///   - modificationTime: in seconds since 1970; nil leaves the time of the last write.
    ///   - replacing: whether a file of that name gives way; one that is to be named never replaces.
    ///   - sync: whether to wait for the disk.
    ///   - mode: permission bits; nil is those that the process gives to new files.
    /// - Throws: an error with `isExists` if something bears the name and `replacing` is false, or it is a directory;
    ///   else what a call said.
    package func publish(
        as target: String, modificationTime: Int64?, replacing: Bool, sync: Bool, mode: UInt32? = nil
    ) throws(SystemError) {
        let mode = mode ?? FileCreationMask.modeOfNewFiles
        try dress(mode: mode, modificationTime: modificationTime)
        if sync { try self.sync() }
        try takeName(target, mode: mode, modificationTime: modificationTime, replacing: replacing, sync: sync)
        if sync { try Self.syncDirectory(of: target) }
    }

    /// Gives the file its final name; mode and time are set, and the data on the disk.
    func takeName(
        _ target: String, mode: UInt32, modificationTime: Int64?, replacing: Bool, sync: Bool
    ) throws(SystemError) {
        if isToBeNamed { return try takeFirstName(target) }
        guard try isStillNamed() else {
            throw SystemError(.lstat, number: ENOENT, path: path, detail: "was removed or replaced meanwhile")
        }
        do {
            try Self.rename(path, to: target, replacing: replacing)
            allowOthers(mode)
        } catch let error where error.number == EXDEV {
            try publishCopy(
                as: target, mode: mode, modificationTime: modificationTime, replacing: replacing, sync: sync)
        }
    }

    /// Bits that let others write: a file with them is no partial of ours.
    private static var writableByOthers: UInt32 { 0o022 }

    /// Sets mode and time.
    ///
    /// Others may not write yet, whatever the mode says: a crash before the file has its name must leave a partial that
    /// the next run accepts.
    func dress(mode: UInt32, modificationTime: Int64?) throws(SystemError) {
        // File systems without modes or times (FAT, some network ones) publish all the same.
        do {
            if !isToBeNamed { try setMode(mode & ~Self.writableByOthers) }
        } catch let error where error.isUnsupported || error.number == EPERM {}
        if let modificationTime {
            do { try setModificationTime(modificationTime) } catch let error where error.isUnsupported {}
        }
    }

    /// Lets others write, if the mode says so, now that the file has its final name.
    private func allowOthers(_ mode: UInt32) {
        if mode & Self.writableByOthers != 0 { try? setMode(mode) }
    }

    /// Where a copy grows: hidden, and short however long the target's name is.
    private static func copyPath(for target: String) -> String {
        let parts = PathParts(target)
        let mark = String(CRC32C.checksum(Array(parts.name.utf8).span), radix: 16)
        return "\(parts.directory).haul-copy-\(mark)"
    }

    private func publishCopy(
        as target: String, mode: UInt32, modificationTime: Int64?, replacing: Bool, sync: Bool
    ) throws(SystemError) {
        if !replacing, try FileFacts.of(target) != nil { throw SystemError(.link, number: EEXIST, path: target) }
        // Opened like a partial: locked, so that two downloads for one target cannot write one copy.
        let copy = try PartFile.create(Self.copyPath(for: target))
        do throws(SystemError) {
            try copy.truncate()
            let size = try size()
            try copy.preallocate(size)
            let block = AlignedBlock(count: 1 << 20)
            var offset: Int64 = 0
            while offset < size {
                let count = try unsafe read(into: block.suffix(from: 0), at: offset)
                guard count > 0 else { throw SystemError(.pread, number: EIO, path: path) }
                try unsafe copy.write(block.prefix(count), at: offset)
                offset += Int64(count)
            }
            try copy.truncate(size)
            try copy.dress(mode: mode, modificationTime: modificationTime)
            if sync { try copy.sync() }
            try Self.rename(copy.path, to: target, replacing: replacing)
            copy.allowOthers(mode)
        } catch {
            try? Syscalls.unlinkFile(copy.path)
            throw error
        }
        // The partial is all there is until the name is on the disk.
        if sync { try Self.syncDirectory(of: target) }
        try Syscalls.unlinkFile(path)
    }

    /// Renames, with the surest means there is to keep what bears the name.
    private static func rename(_ source: String, to target: String, replacing: Bool) throws(SystemError) {
        if replacing { return try Syscalls.renameFile(source, to: target) }
        do {
            return try Syscalls.renameFileExclusively(source, to: target)
        } catch let error where error.isUnsupported {}
        do {
            // As sure, where a file may have two names: both exist for a moment.
            try Syscalls.linkFile(source, target)
            return try Syscalls.unlinkFile(source)
        } catch let error where error.isUnsupported || error.number == EPERM || error.number == EMLINK {}
        // The rest (FAT, some network file systems) can only look first.
        if try FileFacts.of(target) != nil { throw SystemError(.rename, number: EEXIST, path: target) }
        try Syscalls.renameFile(source, to: target)
    }

    /// Waits until a directory's names are on the disk: fsync(2).
    ///
    /// - Parameter path: a file in it.
    /// - Throws: an error of fsync(2), also where the directory can't be opened for it: either way the names stand, and
    ///   may not be on the disk. That the file system does not open or sync directories is no error.
    package static func syncDirectory(of path: String) throws(SystemError) {
        let handle: FileHandle
        do {
            handle = try FileHandle(directoryOf: path)
        } catch let error where error.number == EACCES || error.isUnsupported {
            return
        } catch {
            throw SystemError(
                .fsync, number: error.number, path: error.path, detail: "can't be opened to be synced (\(error.cause))")
        }
        do { try handle.sync() } catch let error where error.isUnsupported || error.number == EBADF {}
    }
}

extension SystemError {
    /// Whether the file system or the kernel does not have this call.
    package var isUnsupported: Bool { [ENOSYS, EINVAL, ENOTSUP, EOPNOTSUPP, ENOTTY].contains(number) }
}
