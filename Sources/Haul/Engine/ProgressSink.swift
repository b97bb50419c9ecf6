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

extension ProgressSink {
    /// Makes a sink that nobody reads.
    init() {
        let progress = AsyncStream.makeStream(of: DownloadProgress.self, bufferingPolicy: .bufferingNewest(1))
        let events = AsyncStream.makeStream(of: DownloadEvent.self, bufferingPolicy: .bufferingNewest(1))
        self.init(progress: progress.continuation, events: events.continuation)
    }
}
