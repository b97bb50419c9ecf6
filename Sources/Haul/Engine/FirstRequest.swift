import HaulCore

/// A download's first request, under way or ended, that a run goes on with.
struct FirstRequest<Network: Transport>: Sendable {
    /// What sent it, and counts.
    let sender: RequestSender<Network>
    /// What takes its answer.
    let receiver: SegmentReceiver
    /// Where its end is told.
    let box: OutcomeBox<DownloadRun<Network>.Outcome>
    /// When the download began.
    let startedAt: Duration
}
