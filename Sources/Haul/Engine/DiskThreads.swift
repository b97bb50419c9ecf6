import HaulSystem

/// The threads that files are touched on, common to all downloads of a `Downloader`.
struct DiskThreads: Sendable {
    /// Opens, appends, renames.
    let disk: ThreadExecutor
    /// Reads back and hashes.
    let check: ThreadExecutor
    /// Syncs small files, several at once.
    let syncs: SyncGroup

    /// Starts the threads.
    init() {
        disk = ThreadExecutor(name: "haul.disk")
        check = ThreadExecutor(name: "haul.check")
        syncs = SyncGroup(thread: ThreadExecutor(name: "haul.sync"))
    }
}
