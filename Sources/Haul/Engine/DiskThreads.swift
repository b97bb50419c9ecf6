import HaulCore
import HaulSystem

/// The threads on which one download is driven and files are touched.
struct DiskThreads: Sendable {
    /// Does the calls of small files that a run fetches, which are short.
    ///
    /// Each step of such a file is so short that waking a second thread for it would cost more.
    let run: ThreadExecutor
    /// Drives downloads, on the same thread.
    let tasks: ThreadTasks
    /// Opens, appends, renames, syncs: the calls of a large file may take seconds.
    let disk: ThreadExecutor
    /// Reads back and hashes.
    let check: ThreadExecutor
    /// Syncs and names small files, several at once.
    let syncs: SyncGroup
    /// Writes small files that one answer brought, behind the network, and looks at their directories.
    let writes: ThreadTasks
    /// Drives a download instead of `tasks` as long as it is one small request: where its answer comes in.
    var driver: (any ArrivalExecutor)?

    /// Drives a download from its beginning.
    var executor: any TaskExecutor { driver ?? tasks }

    /// Most threads that drive downloads.
    private static let mostRuns = 4

    /// Starts threads for one download.
    init() {
        self.init(
            run: ThreadExecutor(name: "haul.run"), disk: ThreadExecutor(name: "haul.disk"),
            check: ThreadExecutor(name: "haul.check"), syncs: SyncGroup(thread: ThreadExecutor(name: "haul.sync")),
            writes: ThreadTasks(on: ThreadExecutor(name: "haul.write")))
    }

    private init(
        run: ThreadExecutor, disk: ThreadExecutor, check: ThreadExecutor, syncs: SyncGroup, writes: ThreadTasks
    ) {
        self.run = run
        self.disk = disk
        self.check = check
        self.syncs = syncs
        tasks = ThreadTasks(on: run)
        self.writes = writes
    }

    /// Starts threads for all downloads of a `Downloader`: those that drive them are several where there are several
    /// cores, the others common to all.
    ///
    /// - Returns: one or more.
    static func make() -> [DiskThreads] {
        let first = DiskThreads()
        // One core is the network's.
        let others = 1..<max(1, min(ThreadExecutor.coreCount - 1, mostRuns))
        return [first]
            + others.map { number in
                DiskThreads(
                    run: ThreadExecutor(name: "haul.run.\(number)"), disk: first.disk, check: first.check,
                    syncs: first.syncs, writes: first.writes)
            }
    }
}
