import HaulCore
import Synchronization

/// Publishes many small files at once: those that ask while some are under way share the next round.
///
/// A file's sync waits mostly for the disk to confirm, and one confirmation serves all files written before it: each
/// round is modes and times, one sync of the data, names, one sync of each directory.
package actor SyncGroup {
    private typealias Continuation = CheckedContinuation<Result<Void, SystemError>, Never>

    /// A file that waits to be published.
    private struct Item {
        let part: PartFile
        let target: String
        let modificationTime: Int64?
        let isReplacing: Bool
        let mode: UInt32
        let continuation: Continuation
    }

    private struct Inbox {
        var items: [Item] = []
        var isWorking = false
    }

    private let thread: ThreadExecutor
    private let inbox = Mutex(Inbox())

    private let fewest: Int
    private let gathering: Duration
    /// When the last round ended.
    private var lastRound: ContinuousClock.Instant?

    /// Files in a round that make it worth its calls: fewer wait for others, if there may be some.
    private static let enough = 64

    /// Makes a group.
    ///
    /// - Parameters:
    ///   - thread: where syncs run; they block it.
    ///   - fewest: fewest files for which the whole file system is synced at once.
    ///   - gathering: how long a few files wait for others; they hold neither a connection nor a place among the downloads
    ///     meanwhile. Who comes later than ten times this after a round is alone, and does not wait.
    package init(thread: ThreadExecutor, fewest: Int = 4, gathering: Duration = .milliseconds(5)) {
        self.thread = thread
        self.fewest = fewest
        self.gathering = gathering
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Waits until a file's data, mode and time are on the disk, then gives it its final name, and waits for that too.
    ///
    /// - Parameters:
    ///   - part: the file.
    ///   - target: the final name.
    ///   - modificationTime: in seconds since 1970; nil leaves the time of the last write.
    ///   - replacing: whether a file of that name gives way.
    ///   - mode: permission bits; nil is those that the process gives to new files.
    /// - Throws: as `PartFile.publish`; after an error of fsync(2) on a directory the name stands.
    package nonisolated func publish(
        _ part: PartFile, as target: String, modificationTime: Int64?, replacing: Bool, mode: UInt32? = nil
    ) async throws(SystemError) {
        let mode = mode ?? FileCreationMask.modeOfNewFiles
        let result = await withCheckedContinuation { (continuation: Continuation) in
            let item = Item(
                part: part, target: target, modificationTime: modificationTime, isReplacing: replacing, mode: mode,
                continuation: continuation)
            let isFirst = inbox.withLock { inbox in
                inbox.items.append(item)
                defer { inbox.isWorking = true }
                return !inbox.isWorking
            }
            // Begins on the thread: another in between would only be woken for that.
            if isFirst { Task(executorPreference: thread) { await self.work() } }
        }
        try result.get()
    }

    private func work() async {
        while true {
            await gather()
            let items = inbox.withLock { inbox in
                defer { inbox.items = [] }
                inbox.isWorking = !inbox.items.isEmpty
                return inbox.items
            }
            guard !items.isEmpty else { return }
            syncDirectories(name(sync(dress(items))))
            lastRound = .now
        }
    }

    /// Waits a moment for more files where they follow each other closely.
    ///
    /// A disk that confirms quickly would get a round for each file, which is three calls and a commit of its journal.
    private func gather() async {
        guard let lastRound, lastRound.duration(to: .now) < gathering * 10 else { return }
        let waiting = inbox.withLock { $0.items.count }
        guard (1..<Self.enough).contains(waiting) else { return }
        try? await Task.sleep(for: gathering)
    }

    /// Does one step for each file; those that fail are answered and left out from then on.
    private func each(_ items: [Item], _ step: (Item) throws(SystemError) -> Void) -> [Item] {
        items.filter { item in
            do throws(SystemError) {
                try step(item)
                return true
            } catch {
                item.continuation.resume(returning: .failure(error))
                return false
            }
        }
    }

    private func dress(_ items: [Item]) -> [Item] {
        each(items) { item throws(SystemError) in
            try item.part.dress(mode: item.mode, modificationTime: item.modificationTime)
        }
    }

    private func sync(_ items: [Item]) -> [Item] {
        if items.count >= fewest, let first = items.first {
            do throws(SystemError) {
                if try areOnOneFileSystem(items.map(\.part)), try first.part.syncFileSystem() { return items }
            } catch {
                // Which file it was is found out below.
            }
        }
        for item in items { item.part.startWriteback() }
        return each(items) { item throws(SystemError) in try item.part.sync() }
    }

    private func name(_ items: [Item]) -> [Item] {
        each(items) { item throws(SystemError) in
            try item.part.takeName(
                item.target, mode: item.mode, modificationTime: item.modificationTime, replacing: item.isReplacing,
                sync: true)
        }
    }

    private func areOnOneFileSystem(_ parts: [PartFile]) throws(SystemError) -> Bool {
        var device: UInt64?
        for part in parts {
            let its = try part.device()
            if let device, device != its { return false }
            device = its
        }
        return true
    }

    private func syncDirectories(_ items: [Item]) {
        var results: [Substring: Result<Void, SystemError>] = [:]
        for item in items {
            let directory = PathParts(item.target).directory
            if results[directory] == nil {
                results[directory] = Result { () throws(SystemError) in try PartFile.syncDirectory(of: item.target) }
            }
            item.continuation.resume(returning: results[directory] ?? .success(()))
        }
    }
}
