/// Makes one story of a download's attempts: bytes that an attempt goes on from were received by an earlier one.
struct ProgressHistory: Sendable {
    private var last: DownloadProgress?
    /// Restarts that were told, and those of them that ended attempts told.
    private var restarts = 0
    private var restartsBefore = 0
    /// What ended attempts came to, together; nil before the first ended.
    private var earlier: DownloadReceipt?

    /// Time that ended attempts took.
    var timeSpent: Duration { earlier?.duration ?? .zero }

    /// A snapshot of the present attempt, as one of the whole download.
    mutating func snapshot(_ progress: DownloadProgress) -> DownloadProgress {
        var progress = progress
        progress.restarts += restartsBefore
        if let earlier { progress.resumed = min(progress.resumed, earlier.resumed) }
        if let last, last.restarts == progress.restarts {
            progress.received = max(progress.received, last.received)
            progress.total = progress.total ?? last.total
            // Nothing is known yet of what is on disk.
            if progress.phase == .probing { progress.finishedRanges = last.finishedRanges }
        }
        last = progress
        return progress
    }

    /// What was on hand was thrown away, as an event told.
    mutating func restarted() { restarts += 1 }

    /// An attempt ended without a file.
    ///
    /// - Parameter figures: what it came to until then.
    mutating func attemptEnded(_ figures: DownloadReceipt) {
        restartsBefore = restarts
        earlier = earlier.map { Self.sum($0, figures) } ?? figures
    }

    /// The receipt of the last attempt, as one of the whole download.
    func receipt(_ receipt: DownloadReceipt) -> DownloadReceipt {
        guard let earlier else { return receipt }
        return Self.sum(earlier, receipt)
    }

    /// The last snapshot of a finished download.
    mutating func finished(_ receipt: DownloadReceipt) -> DownloadProgress {
        var progress = last ?? DownloadProgress()
        progress.phase = .finished
        progress.received = receipt.bytes
        progress.total = receipt.bytes
        progress.resumed = receipt.resumed
        progress.connections = 0
        progress.connectionRanges = []
        progress.finishedRanges = receipt.bytes > 0 ? [0..<receipt.bytes] : []
        progress.timeLeft = .zero
        last = progress
        return progress
    }

    /// A download at rest has no rate and no connections.
    mutating func atRest() -> DownloadProgress? {
        guard var progress = last else { return nil }
        progress.bytesPerSecond = 0
        progress.timeLeft = nil
        progress.connections = 0
        progress.connectionRanges = []
        last = progress
        return progress
    }

    private static func sum(_ first: DownloadReceipt, _ second: DownloadReceipt) -> DownloadReceipt {
        var sum = second
        sum.resumed = min(first.resumed, second.resumed)
        sum.received += first.received
        sum.requests += first.requests
        sum.duration += first.duration
        sum.connections = max(first.connections, second.connections)
        return sum
    }
}
