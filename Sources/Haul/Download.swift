import Synchronization

/// A download under way.
///
/// Dropping it does not cancel it.
public final class Download: Sendable {
    /// Snapshots, newest only, at most ten a second; ends with the download.
    ///
    /// For one reader.
    public let progress: AsyncStream<DownloadProgress>
    /// What happened, in order; ends with the download.
    ///
    /// The newest 64 are kept for a slow reader. For one reader.
    public let events: AsyncStream<DownloadEvent>
    private let task: Task<Result<DownloadReceipt, DownloadError>, Never>

    init(
        progress: AsyncStream<DownloadProgress>, events: AsyncStream<DownloadEvent>,
        task: Task<Result<DownloadReceipt, DownloadError>, Never>
    ) {
        self.progress = progress
        self.events = events
        self.task = task
    }

    /// Waits for the end.
    ///
    /// - Returns: what the download came to.
    /// - Throws: why it did not end in a finished file. Cancelling the waiting task does not cancel the download.
    public var receipt: DownloadReceipt {
        get async throws(DownloadError) { try await task.value.get() }
    }

    /// Waits for the end, whatever it is; cancelling the waiting task cancels the download.
    func resultOrCancel() async -> Result<DownloadReceipt, DownloadError> {
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            cancel()
        }
    }

    /// Ends the download and keeps what was received for the next time; `receipt` then throws `cancelled`.
    public func cancel() { task.cancel() }
}
