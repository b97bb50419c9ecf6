import HaulSystem

/// The threads that files are touched on, common to all downloads of a `Downloader`.
struct DiskThreads: Sendable {
    /// Drives downloads, and does the calls of small files, which are short.
    ///
    /// Each step of a small file is so short that waking a second thread for it would cost more.
    let run: ThreadExecutor
    /// Opens, appends, renames.
    let disk: ThreadExecutor
    /// Reads back and hashes.
    let check: ThreadExecutor
    /// Syncs and names small files, several at once.
    let syncs: SyncGroup

    /// Starts the threads.
    init() {
        run = ThreadExecutor(name: "haul.run")
        disk = ThreadExecutor(name: "haul.disk")
        check = ThreadExecutor(name: "haul.check")
        syncs = SyncGroup(thread: ThreadExecutor(name: "haul.sync"))
    }
}
