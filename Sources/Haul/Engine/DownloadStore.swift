package import HaulCore
package import HaulSystem
import Synchronization

/// The files of one download: partial and journal, from lock to final name. Its calls run on the disk thread.
///
/// The lock is on the partial and is held from `openExisting()` or `create()` until `publish`, `discard` or `close`, and
/// for as long as writers or a check hold the partial: nobody else may write while they can. Only its holder touches the
/// journal.
package actor DownloadStore {
    /// Where the files are: in a temporary directory they may step aside when they are opened or made.
    package nonisolated var paths: DownloadPaths { place.withLock { $0 } }
    /// The partial while it is open and locked; writers and the check use it from their own threads.
    package private(set) var part: PartFile?
    /// Why what an earlier run left does not count; nil if there was nothing or something counts.
    package private(set) var notice: String?

    private let place: Mutex<DownloadPaths>
    /// Where the calls run.
    private let thread: ThreadExecutor
    var journal: JournalFile?
    private var header: JournalHeader?
    /// What the journal says, so that it can be written anew.
    var known: [FinishedRange] = []
    private var knownLimit = DownloadStore.compactionStep
    /// Taken from writers and not yet returned, because of a failure in between; the first `recordedCount` are journaled.
    private var taken: [FinishedRange] = []
    private var recordedCount = 0
    /// Whether there is no journal on disk, and none was begun.
    var hasNoJournal = false

    /// Records after which a journal is looked at for a shorter one: 16,384, half a megabyte.
    ///
    /// Sixteen connections make as many in nine minutes.
    private static let compactionStep = 16_384

    /// Makes a store; nothing is touched yet.
    ///
    /// - Parameters:
    ///   - paths: where the files are.
    ///   - thread: where the calls run.
    package init(_ paths: DownloadPaths, thread: ThreadExecutor) {
        place = Mutex(paths)
        self.thread = thread
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// Does a step at once if the caller is on the store's thread, as it is with small files, and there if it is not.
    ///
    /// The way through the thread's queue and back costs more than most steps.
    ///
    /// - Parameter step: what to do.
    /// - Returns: what it returned.
    /// - Throws: what it threw.
    nonisolated func perform<Value: Sendable>(
        _ step: @Sendable (isolated DownloadStore) throws(SystemError) -> Value
    ) async throws(SystemError) -> Value {
        guard thread.isCurrent else { return try await step(self) }
        return try performHere(step).get()
    }

    private nonisolated func performHere<Value: Sendable>(
        _ step: @Sendable (isolated DownloadStore) throws(SystemError) -> Value
    ) -> Result<Value, SystemError> {
        assumeIsolated { store in Result { () throws(SystemError) in try step(store) } }
    }

    // MARK: - Opening

    /// Opens and locks what an earlier run left.
    ///
    /// To go on from it, call `startJournal` with what is kept: until then nothing is recorded.
    ///
    /// - Returns: what can be gone on from; nil if there is nothing. A partial that is there stays open and locked in any
    ///   case, and `notice` says why it does not count.
    /// - Throws: an error with `isLocked` if another download is on it; of kind `refused` if the partial is not ours. A
    ///   journal that is missing, damaged or not ours is no error.
    package func openExisting() throws(SystemError) -> InheritedPartial? {
        notice = nil
        guard let part = try opened({ (path) throws(SystemError) in try PartFile.open(path) }) else { return nil }
        self.part = part
        guard let found = try JournalFile.read(paths.journal) else {
            notice = "\(paths.part) has no journal, so the file is fetched from the beginning"
            return nil
        }
        let problem = found.problem.map { "the journal \(paths.journal) \($0)" }
        guard let replay = found.replay else {
            notice = problem
            return nil
        }
        guard !replay.isUntrustworthy else {
            notice = "the content of \(paths.part) failed its checksum in an earlier run"
            return nil
        }
        let size = try part.size()
        let whole = replay.finished.filter { $0.range.upperBound <= size }
        let finished = Self.plausible(whole, size: size)
        var reason = problem
        if finished.count < whole.count { reason = "the journal \(paths.journal) names ranges that haul never writes" }
        if whole.count < replay.finished.count { reason = "\(paths.part) is shorter than its journal says" }
        guard !finished.isEmpty else {
            notice = reason
            return nil
        }
        return InheritedPartial(header: replay.header, finished: finished, notice: reason)
    }

    /// The ranges that a journal of haul's can name: none is longer than a window, and there are few in each.
    ///
    /// Others come from whoever wants ranges that fill the memory, or so many that they never end.
    private static func plausible(_ finished: [FinishedRange], size: Int64) -> [FinishedRange] {
        let window = [FinishedRange].joiningWindow
        let most = 4096 + 2 * Int(size / window)
        let kept = finished.filter { $0.range.length <= window }
        guard kept.count > most else { return kept }
        return kept.sorted { $0.range.length > $1.range.length }.prefix(most)
            .sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// Opens and locks the partial, made if it does not exist; what is in it stays.
    ///
    /// A journal that does not belong to a partial is removed.
    ///
    /// - Returns: the partial.
    /// - Throws: as `openExisting()`, or what open(2) said.
    @discardableResult
    package func create() throws(SystemError) -> PartFile {
        if let part { return part }
        var part = try opened { (path) throws(SystemError) in try PartFile.create(path) }
        if try part.size() > 0, paths.isOthers, stepAside() {
            // Made since the paths were chosen, and left by now.
            part.unlock()
            part = try PartFile.create(paths.part)
        }
        // Left over from a crash between rename and removal, or from a partial that somebody deleted.
        try JournalFile.remove(paths.journal)
        hasNoJournal = true
        self.part = part
        return part
    }

    /// Opens the partial, under the name that only this file has if another file's download is on the other.
    ///
    /// In the first moments of a download its journal does not say yet whose it is: then it is taken for another file's.
    /// Two of one file that pass each other so both fetch it, and the second finds it finished.
    private func opened<Part>(_ open: (String) throws(SystemError) -> Part) throws(SystemError) -> Part {
        do throws(SystemError) {
            return try open(paths.part)
        } catch {
            guard error.isLocked, paths.owner != JournalFile.header(at: paths.journal)?.destination, stepAside() else {
                throw error
            }
            return try open(paths.part)
        }
    }

    /// Takes the names that only this file has; false if it has them, or needs none.
    private func stepAside() -> Bool {
        place.withLock { paths in
            guard let apart = paths.apart else { return false }
            paths = apart
            return true
        }
    }

    /// Makes sure that there is room for the whole file, and reserves it where the file system can.
    ///
    /// - Parameter size: size of the file; nil, unknown, reserves nothing.
    /// - Throws: an error with `isNoSpace` that says how much is needed and how much is free.
    package func reserve(size: Int64?) throws(SystemError) {
        if let size { try part?.preallocate(size) }
    }

    // MARK: - Journal

    /// Begins a journal, in place of the one that is there.
    ///
    /// - Parameters:
    ///   - header: what is known about the resource; may be called again when more is known.
    ///   - finished: what stays finished.
    /// - Throws: what a call said; the old journal is still there then.
    package func startJournal(
        _ header: JournalHeader, keeping finished: [FinishedRange]
    ) throws(SystemError) {
        let finished = finished.joined()
        try replaceJournal(header, finished.map { .finished($0) }, sync: !finished.isEmpty)
        known = finished
        knownLimit = finished.count * 2 + Self.compactionStep
    }

    /// Appends finished ranges to the journal; does nothing without one, as for a file of one segment.
    ///
    /// - Parameter ranges: what was written.
    /// - Throws: what pwrite(2) said.
    package func record(_ ranges: [FinishedRange]) throws(SystemError) {
        guard journal != nil, !ranges.isEmpty else { return }
        try journal?.append(ranges.map { .finished($0) })
        known += ranges
        if known.count > knownLimit { compact() }
    }

    /// Flushes writers, takes what they have written and appends it to the journal.
    ///
    /// - Parameter writers: the connections' writers.
    /// - Returns: the ranges written since the last call.
    /// - Throws: the first error of a flush or of the journal. What the other writers have written is journaled all the
    ///   same, and returned by the next call.
    package func collect(from writers: [SegmentWriter]) throws(SystemError) -> [FinishedRange] {
        var failure: SystemError?
        for writer in writers {
            do throws(SystemError) { try writer.flush() } catch { failure = failure ?? error }
            taken += writer.takeFinished()
        }
        try record(Array(taken[recordedCount...]))
        recordedCount = taken.count
        if let failure { throw failure }
        defer {
            taken = []
            recordedCount = 0
        }
        return taken
    }

    /// Journals that ranges are bad.
    ///
    /// Finished ranges that they overlap do not count any more in a later run.
    ///
    /// - Parameter ranges: what was read back and is wrong.
    /// - Throws: what pwrite(2) said.
    package func forget(_ ranges: [FinishedRange]) throws(SystemError) {
        known.removeAll { old in ranges.contains { $0.range.overlaps(old.range) } }
        try journal?.append(ranges.map { .forget($0.range) })
    }

    /// Journals that nothing is finished but these ranges.
    ///
    /// - Parameter ranges: what stays.
    /// - Throws: what a call said; the old journal is still there then.
    package func keepOnly(_ ranges: [FinishedRange]) throws(SystemError) {
        guard journal != nil, let header else { return }
        try startJournal(header, keeping: ranges)
    }

    /// Journals that the whole content failed its digest: no later run goes on from it.
    ///
    /// The mark stands in a journal without ranges, so that losing it loses nothing.
    ///
    /// - Throws: what a call said.
    package func markUntrustworthy() throws(SystemError) {
        known = []
        guard journal != nil, let header else { return }
        try replaceJournal(header, [.digestMismatch], sync: true)
    }

    /// Starts over: nothing on hand counts, the journal is gone and the partial empty.
    ///
    /// `startJournal` begins a new one.
    ///
    /// - Throws: what a call said.
    package func startOver() throws(SystemError) {
        known = []
        taken = []
        recordedCount = 0
        journal = nil
        header = nil
        // First the journal: it must not speak of bytes that are gone.
        if part != nil { try JournalFile.remove(paths.journal) }
        try part?.truncate()
    }

    /// Makes another tool's file the partial, and locks it: rename(2).
    ///
    /// Its journal is there before it, after a power cut too: whoever is cut off in between finds the file where it was,
    /// or goes on from it.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - header: what its journal begins with.
    ///   - finished: what is in it.
    /// - Throws: what rename(2) said, such as that it lies on another file system; the file is as it was then.
    package func adopt(
        _ path: String, _ header: JournalHeader, finished: [FinishedRange]
    ) throws(SystemError) {
        part = nil
        try startJournal(header, keeping: finished)
        let adopted = Result { () throws(SystemError) in
            try PartFile.syncDirectory(of: paths.journal)
            return try PartFile.adopt(path, as: paths.part)
        }
        if case .failure = adopted { try? JournalFile.remove(paths.journal) }
        part = try adopted.get()
        // Not a byte goes to the file while a power cut could give it its old name back.
        try PartFile.syncDirectory(of: paths.part)
        try PartFile.syncDirectory(of: path)
    }

    /// Reads a range of another tool's file and takes it for what came off the wire.
    ///
    /// - Parameters:
    ///   - range: what to read.
    ///   - path: the file.
    /// - Returns: the range with the checksum of its bytes.
    /// - Throws: what open(2) or pread(2) said.
    package func checksum(_ range: ByteRange, of path: String) throws(SystemError) -> FinishedRange {
        let bytes = try FileFacts.read(path, range)
        return FinishedRange(range, checksum: HardwareCRC32C.checksum(bytes.span.bytes))
    }

    /// Reads a range of the partial and computes its checksum.
    ///
    /// - Parameter range: what to read.
    /// - Returns: the range with the checksum of its bytes.
    /// - Throws: what pread(2) said.
    package func checksum(_ range: ByteRange) throws(SystemError) -> FinishedRange {
        let bytes = try read(range)
        return FinishedRange(range, checksum: HardwareCRC32C.checksum(bytes.span.bytes))
    }

    /// Reads a range of the partial.
    ///
    /// - Parameter range: what to read.
    /// - Returns: the bytes; fewer where it ends.
    /// - Throws: what pread(2) said.
    package func read(_ range: ByteRange) throws(SystemError) -> [UInt8] { try part?.read(range) ?? [] }

    /// Whether a range of the partial is on disk as it came off the wire.
    ///
    /// - Parameter range: what was written.
    /// - Returns: false too where the partial ends before.
    /// - Throws: what pread(2) said.
    package func isSound(_ range: FinishedRange) throws(SystemError) -> Bool {
        let bytes = try read(range.range)
        return bytes.count == Int(range.range.length) && HardwareCRC32C.checksum(bytes.span.bytes) == range.checksum
    }

    private func replaceJournal(
        _ header: JournalHeader, _ records: [JournalRecord], sync: Bool
    ) throws(SystemError) {
        hasNoJournal = false
        var header = header
        header.destination = paths.owner
        journal = try JournalFile.create(paths.journal, header: header, records: records, sync: sync)
        self.header = header
    }

    /// Writes the journal anew if it has grown far beyond what it has to say.
    private func compact() {
        known = known.joined()
        defer { knownLimit = known.count * 2 + Self.compactionStep }
        guard known.count * 2 < knownLimit, let header else { return }
        // Not synced, since no append may wait for that; if it fails the old one goes on.
        try? replaceJournal(header, known.map { .finished($0) }, sync: false)
    }

    // MARK: - End

    /// Removes partial and journal, if this store holds the lock.
    ///
    /// - Throws: what unlink(2) said.
    package func discard() throws(SystemError) {
        guard let part else { return }
        // The lock goes with the partial's name, so that goes last: behind it another download may begin.
        try JournalFile.remove(paths.journal)
        if try part.isStillNamed() { try part.unlink() }
        close()
    }

    /// Lets go of files and lock; what is there stays for the next run.
    ///
    /// A partial without a byte and without a journal goes: it would only stand in the way.
    package func close() {
        if journal == nil, let part, (try? part.size()) == 0 { part.unlinkIfNamed() }
        journal = nil
        part?.unlock()
        part = nil
    }

    /// Removes the journal of a published file.
    ///
    /// If power fails before this reaches the disk, the journal left behind is harmless: a journal counts only beside a
    /// partial, the partial's name is gone, and `create()` removes what it finds.
    func finish() {
        try? journal?.removeIfNamed()
        close()
    }
}
