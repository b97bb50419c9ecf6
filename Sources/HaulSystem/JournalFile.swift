package import HaulCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The journal on disk, `NAME.haul-journal`, open for appending.
///
/// For one owner, who holds the partial's lock.
package struct JournalFile: ~Copyable {
    /// What was found in a journal's place.
    package struct Found: Sendable {
        /// What the journal came to; nil if nothing of it counts.
        package let replay: JournalReplay?
        /// Why something or everything of it does not count, in words that follow "the journal"; nil if all counts.
        package let problem: String?
    }

    /// A journal longer than this is none: 8 million records, and it is read into memory as a whole.
    package static let maximumLength: Int64 = 256 << 20
    /// Room that is reserved, so that a full disk still takes records of what was written before it was full.
    private static let reserve: Int64 = 64 << 10
    /// Read first: more than the longest header.
    private static let firstPiece: Int64 = 1 << 20

    private let path: String
    private let handle: FileHandle
    private let headerChecksum: UInt32
    /// Number of bytes that are whole: where the next record goes.
    package private(set) var length: Int64

    // MARK: - Opening

    /// Reads the journal at `path` without opening it for appending.
    ///
    /// - Parameter path: the journal.
    /// - Returns: what it came to; nil if there is none.
    /// - Throws: what open(2) or pread(2) said. That the file is damaged, hostile or not ours is no error but a
    ///   `problem`.
    package static func read(_ path: String) throws(SystemError) -> Found? {
        do {
            let handle = try FileHandle(path, .reading)
            try handle.checkOwnership()
            let size = try handle.size()
            guard size <= maximumLength else { return Found(replay: nil, problem: "is too long to be one of haul's") }
            return try read(handle, size: size)
        } catch let error where error.isNotFound {
            return nil
        } catch let error where error.kind == .refused {
            return Found(replay: nil, problem: error.detail)
        } catch let error where error.number == EACCES || error.number == EPERM {
            return Found(replay: nil, problem: "may not be read")
        }
    }

    /// Reads in growing pieces, so that a file that is large and holds nothing costs no memory.
    ///
    /// A header fits into the first piece, and a piece that ends in a long stretch without a record is the last.
    private static func read(_ handle: borrowing FileHandle, size: Int64) throws(SystemError) -> Found {
        var length = min(size, firstPiece)
        while true {
            let bytes = try handle.read(ByteRange(0, length))
            do throws(JournalError) {
                let replay = try JournalReplay(bytes.span)
                if length == size || bytes.count - replay.goodLength >= JournalReplay.maximumGap {
                    return Found(replay: replay, problem: problem(of: replay, size: size))
                }
            } catch {
                return Found(replay: nil, problem: error.reason)
            }
            length = min(size, length * 4)
        }
    }

    private static func problem(of replay: JournalReplay, size: Int64) -> String? {
        switch replay.damagedRecords {
        case 0: Int64(replay.goodLength) == size ? nil : "is damaged at its end"
        case 1: "is damaged: a record does not count"
        case let count: "is damaged: \(count) records do not count"
        }
    }

    /// Reads what the journal at `path` begins with.
    ///
    /// - Parameter path: the journal.
    /// - Returns: nil if there is none, or it can't be read, is not ours or is damaged.
    package static func header(at path: String) -> JournalHeader? {
        do throws(SystemError) {
            let handle = try FileHandle(path, .reading)
            try handle.checkOwnership()
            let bytes = try handle.read(ByteRange(0, min(try handle.size(), firstPiece)))
            return try? JournalCodec.decodeHeader(bytes.span).header
        } catch {
            return nil
        }
    }

    /// Opens a journal that was read, and cuts off what follows its last whole record.
    ///
    /// - Parameters:
    ///   - path: the journal.
    ///   - replay: what it came to.
    /// - Returns: the journal.
    /// - Throws: what open(2) or ftruncate(2) said.
    package static func open(_ path: String, after replay: JournalReplay) throws(SystemError) -> JournalFile {
        let handle = try FileHandle(path, .writing)
        try handle.checkOwnership()
        let length = Int64(replay.goodLength)
        try handle.resize(length)
        return JournalFile(path, handle, headerChecksum: replay.headerChecksum, length: length)
    }

    /// Puts a new journal in place of the one at `path`, or where none is: written under a temporary name, then renamed.
    ///
    /// - Parameters:
    ///   - path: the journal.
    ///   - header: what it begins with.
    ///   - records: what it says from the start.
    ///   - sync: whether to wait for the disk before the old journal goes.
    /// - Returns: the journal.
    /// - Throws: what a call said; the old journal is still there then.
    package static func create(
        _ path: String, header: JournalHeader, records: [JournalRecord], sync: Bool
    ) throws(SystemError) -> JournalFile {
        let temporary = path + ".new"
        var bytes = JournalCodec.encode(header)
        let headerChecksum: UInt32 = bytes.suffix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        bytes.reserveCapacity(bytes.count + records.count * JournalRecord.length)
        for record in records { JournalCodec.encode(record, headerChecksum: headerChecksum, into: &bytes) }
        // Whoever holds the partial's lock is alone here: what bears the temporary name was left by a crash.
        do { try Syscalls.unlinkFile(temporary) } catch let error where error.isNotFound {}
        do throws(SystemError) {
            let handle = try FileHandle(temporary, .creatingNew)
            let length = Int64(bytes.count)
            try? handle.allocateKeepingSize(max(Self.reserve, length))
            try unsafe handle.write(bytes.span.bytes, at: 0)
            if sync { try handle.syncData() }
            try Syscalls.renameFile(temporary, to: path)
            return JournalFile(path, handle, headerChecksum: headerChecksum, length: length)
        } catch {
            try? Syscalls.unlinkFile(temporary)
            throw error.atOwnName
        }
    }

    private init(_ path: String, _ handle: consuming FileHandle, headerChecksum: UInt32, length: Int64) {
        self.path = path
        self.handle = handle
        self.headerChecksum = headerChecksum
        self.length = length
    }

    // MARK: - Appending

    /// Appends records in one write: pwrite(2).
    ///
    /// - Parameter records: what to say.
    /// - Throws: what pwrite(2) said. Half a record may stand at the end then; the next append goes over it, and a replay
    ///   passes it over.
    package mutating func append(_ records: [JournalRecord]) throws(SystemError) {
        guard !records.isEmpty else { return }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(records.count * JournalRecord.length)
        for record in records { JournalCodec.encode(record, headerChecksum: headerChecksum, into: &bytes) }
        try unsafe handle.write(bytes.span.bytes, at: length)
        length += Int64(bytes.count)
    }

    /// Waits until the journal is on the disk: fdatasync(2).
    package func sync() throws(SystemError) { try handle.syncData() }

    /// Removes this journal, unless its name is another file's by now: unlink(2).
    ///
    /// - Throws: what unlink(2) said.
    package func removeIfNamed() throws(SystemError) {
        guard try handle.isNamed(path) else { return }
        try Syscalls.unlinkFile(path)
    }

    /// Removes a journal and what a crash may have left beside it; that there is none is no error: lstat(2), unlink(2).
    ///
    /// - Parameter path: the journal.
    /// - Throws: what unlink(2) said.
    package static func remove(_ path: String) throws(SystemError) {
        for path in [path + ".new", path] where isThere(path) {
            do { try Syscalls.unlinkFile(path) } catch let error where error.isNotFound {}
        }
    }

    /// Whether there may be something: an unlink that finds nothing makes all others in the directory wait.
    private static func isThere(_ path: String) -> Bool {
        do { _ = try Syscalls.facts(at: path) } catch { return !error.isNotFound }
        return true
    }
}
