import Synchronization

/// The downloads of a `Downloader` that have not ended: equal ones are found, and all of them can be ended.
final class ActiveDownloads: Sendable {
    private struct Entry {
        /// Not kept alive: one that is paused and dropped is over.
        weak var download: Download?
    }

    private struct State {
        var all: [ObjectIdentifier: Entry] = [:]
        /// Those that somebody waits for to the end in any case, who keeps them alive.
        var awaited: [ObjectIdentifier: Download] = [:]
        var equals: [Fingerprint: Entry] = [:]
        /// Batches whose downloads are tasks and no more.
        var batches: [ObjectIdentifier: BatchTasks] = [:]
        var isClosed = false
        /// How many entries a table has when it is looked through again.
        var crowd = 1024

        /// Forgets, now and then, those that were dropped at rest: they tell nobody.
        ///
        /// As many must have come as were left the last time, so that each costs little. The two tables differ: objects
        /// that follow one another may have one address.
        mutating func sweep() {
            guard max(all.count, equals.count) >= crowd else { return }
            all = all.filter { $0.value.download != nil }
            equals = equals.filter { $0.value.download != nil }
            crowd = max(1024, 2 * max(all.count, equals.count))
        }
    }

    private let state = Mutex(State())

    /// Makes an empty table.
    init() {}

    /// Whether nothing may begin any more.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Entries of both tables, at most; for tests.
    var count: Int { state.withLock { max($0.all.count, $0.equals.count) } }

    /// An equal download under way, or the one that `make` makes.
    ///
    /// - Parameters:
    ///   - key: what equal requests have in common.
    ///   - make: makes a download that has not begun; is given the equal one that is about to end, if there is one.
    /// - Returns: the download, and whether it was made.
    func find(_ key: Fingerprint, orMake make: (Download?) -> Download) -> (download: Download, isNew: Bool) {
        state.withLock { state in
            let known = state.equals[key]?.download
            if let known, known.join() { return (known, false) }
            let download = make(known)
            state.equals[key] = Entry(download: download)
            state.all[ObjectIdentifier(download)] = Entry(download: download)
            state.sweep()
            return (download, true)
        }
    }

    /// Takes a download in that nobody else may share, and that is waited for until `remove`.
    func add(_ download: Download) {
        state.withLock { $0.awaited[ObjectIdentifier(download)] = download }
    }

    /// Takes in a batch whose downloads are tasks and no more; what it starts when nothing may begin any more must end
    /// by itself.
    func add(_ batch: BatchTasks) { state.withLock { $0.batches[ObjectIdentifier(batch)] = batch } }

    /// A batch ended, if it was taken in.
    func remove(_ batch: BatchTasks) { state.withLock { $0.batches[ObjectIdentifier(batch)] = nil } }

    /// A download ended.
    func remove(_ download: Download, key: Fingerprint?) {
        state.withLock { state in
            if state.awaited.removeValue(forKey: ObjectIdentifier(download)) != nil { return }
            state.all[ObjectIdentifier(download)] = nil
            if let key, state.equals[key]?.download.map({ $0 === download }) ?? true { state.equals[key] = nil }
        }
    }

    /// Lets nothing begin any more.
    ///
    /// - Returns: what is under way, or at rest.
    func close() -> (downloads: [Download], tasks: [Task<Void, Never>]) {
        state.withLock { state in
            state.isClosed = true
            let downloads = state.all.values.compactMap(\.download) + state.awaited.values
            return (downloads, state.batches.values.flatMap(\.running))
        }
    }
}
