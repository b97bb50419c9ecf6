/// Where snapshots and events of a download go.
struct ProgressSink: Sendable {
    let progress: AsyncStream<DownloadProgress>.Continuation
    let events: AsyncStream<DownloadEvent>.Continuation

    /// Ends both sequences.
    func finish() {
        progress.finish()
        events.finish()
    }
}
