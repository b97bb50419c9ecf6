import HaulCore
import HaulSystem

/// Fetches one file over a transport: everything that a download needs and that does not change under way.
struct DownloadEngine<Network: Transport>: Sendable {
    let request: DownloadRequest
    let options: DownloadOptions
    /// The address that was asked for.
    var url: ResourceURL
    /// Other addresses of the same file.
    let mirrors: [ResourceURL]
    var scope: CredentialScope
    let network: Network
    let time: TimeSource
    /// How the work may be divided.
    let splitPolicy: SplitPolicy
    /// Seconds since 1970, for dates in answers.
    let wallClock: @Sendable () -> Int64
    let threads: DiskThreads
    let sink: ProgressSink
    /// Number of the first slot of this download's workers.
    let firstSlot: Int
    /// Seed of jitter and samples.
    let seed: UInt64
    /// What it holds of the connections of all downloads; nil is no limit.
    var lease: ConnectionLease?
    /// Its name among those of its batch; nil outside of batches.
    var name: BatchName?
    /// Syncs small files together with others; nil syncs each by itself.
    var syncs: SyncGroup?
    /// Told what a run that did not bring the file came to.
    var noteFigures: (@Sendable (DownloadReceipt) -> Void)?
    /// Beats for all downloads; nil makes a timer for this one alone.
    var ticker: Ticker?
    /// What the netrc file is like; nil if none is used.
    var netrc: NetrcFile?

    /// Runs the download to its end.
    ///
    /// Cancelling the task ends it within a second in every phase, with all that was received recorded.
    @concurrent func run() async -> Result<DownloadReceipt, DownloadError> {
        await runInTime()
    }

    private func runInTime() async -> Result<DownloadReceipt, DownloadError> {
        guard let limit = options.maximumTime else { return await runToEnd() }
        return await withTaskGroup(of: Result<DownloadReceipt, DownloadError>?.self) { group in
            group.addTask { await runToEnd() }
            group.addTask {
                await time.sleep(limit)
                return nil
            }
            var isOver = false
            var ended: Result<DownloadReceipt, DownloadError> = .failure(.cancelledKeeping)
            while let result = await group.next() {
                if let result { ended = result } else { isOver = true }
                group.cancelAll()
            }
            guard isOver, !Task.isCancelled, case .failure(let error) = ended, error.code == .cancelled else {
                return ended
            }
            return .failure(
                DownloadError(
                    .timedOut,
                    "\(url.redacted): not finished within the longest time allowed (--max-time): "
                        + "what was received is kept, run the same command to go on", url: url.redacted))
        }
    }

    private func runToEnd() async -> Result<DownloadReceipt, DownloadError> {
        var run = DownloadRun(self)
        let result = await run.execute()
        lease?.release()
        await run.close()
        if case .failure = result { noteFigures?(run.receipt(path: "", size: 0, [])) }
        return result
    }

    /// How the work may be divided, as the user asked for it.
    static func splitPolicy(for request: DownloadRequest, _ options: DownloadOptions) -> SplitPolicy {
        var policy = SplitPolicy()
        let connections = request.connections ?? options.connections
        policy.connections = connections ?? DownloadOptions.automaticLimit
        policy.growsConnections = connections == nil
        policy.minimumSplit = options.minimumSplitSize
        if case .descriptor = request.destination { policy.window = options.streamWindow }
        return policy
    }

    /// Trust, time-outs and route of every request.
    var connectionOptions: ConnectionOptions {
        var connection = ConnectionOptions(options)
        connection.netrcHasDefault = netrc?.hasDefault ?? false
        return connection
    }
}
