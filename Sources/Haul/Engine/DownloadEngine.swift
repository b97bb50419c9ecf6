import HaulCore
import HaulSystem

/// Fetches one file over a transport: everything that a download needs and that does not change under way.
struct DownloadEngine<Network: Transport>: Sendable {
    /// What never changes, in one place: the engine is copied with each run.
    private final class Fixed: Sendable {
        let request: DownloadRequest
        let options: DownloadOptions
        let mirrors: [ResourceURL]
        let network: Network
        let time: TimeSource
        let splitPolicy: SplitPolicy
        let wallClock: @Sendable () -> Int64
        let threads: DiskThreads
        let sink: ProgressSink
        let firstSlot: Int
        let seed: UInt64
        let profile: ConnectionProfile

        init(
            _ request: DownloadRequest, _ options: DownloadOptions, _ mirrors: [ResourceURL], _ network: Network,
            _ time: TimeSource, _ splitPolicy: SplitPolicy, _ wallClock: @escaping @Sendable () -> Int64,
            _ threads: DiskThreads, _ sink: ProgressSink, firstSlot: Int, seed: UInt64, profile: ConnectionProfile
        ) {
            self.request = request
            self.options = options
            self.mirrors = mirrors
            self.network = network
            self.time = time
            self.splitPolicy = splitPolicy
            self.wallClock = wallClock
            self.threads = threads
            self.sink = sink
            self.firstSlot = firstSlot
            self.seed = seed
            self.profile = profile
        }
    }

    private let fixed: Fixed
    /// The address that was asked for.
    var url: ResourceURL
    var scope: CredentialScope
    /// What it holds of the connections of all downloads; nil is no limit.
    var lease: ConnectionLease?
    /// Its priority where that may change; nil is what its request says.
    var ticket: LeaseTicket?
    /// Its name among those of its batch; nil outside of batches.
    var name: BatchName?
    /// Syncs small files together with others; nil syncs each by itself.
    var syncs: SyncGroup?
    /// Told what a run that did not bring the file came to.
    var noteFigures: (@Sendable (DownloadReceipt) -> Void)?
    /// Beats for all downloads; nil makes a timer for this one alone.
    var ticker: Ticker?

    /// Makes an engine.
    ///
    /// - Parameters:
    ///   - request: what to fetch and where to put it.
    ///   - options: how.
    ///   - url: the address that was asked for.
    ///   - mirrors: other addresses of the same file.
    ///   - scope: whom credentials belong to.
    ///   - network: what carries its requests.
    ///   - time: its clock.
    ///   - splitPolicy: how the work may be divided.
    ///   - wallClock: seconds since 1970, for dates in answers.
    ///   - threads: where files are touched.
    ///   - sink: where snapshots and events go.
    ///   - firstSlot: number of the first slot of its workers.
    ///   - seed: seed of jitter and samples.
    ///   - syncs: syncs small files together with others; nil syncs each by itself.
    ///   - profile: trust, time-outs and route of every request; nil is what the options say.
    init(
        request: DownloadRequest, options: DownloadOptions, url: ResourceURL, mirrors: [ResourceURL],
        scope: CredentialScope, network: Network, time: TimeSource, splitPolicy: SplitPolicy,
        wallClock: @escaping @Sendable () -> Int64, threads: DiskThreads, sink: ProgressSink, firstSlot: Int,
        seed: UInt64, syncs: SyncGroup? = nil, profile: ConnectionProfile? = nil
    ) {
        fixed = Fixed(
            request, options, mirrors, network, time, splitPolicy, wallClock, threads, sink, firstSlot: firstSlot,
            seed: seed, profile: profile ?? ConnectionProfile(ConnectionOptions(options)))
        self.url = url
        self.scope = scope
        self.syncs = syncs
    }

    /// What to fetch and where to put it.
    var request: DownloadRequest { fixed.request }
    /// How.
    var options: DownloadOptions { fixed.options }
    /// Other addresses of the same file.
    var mirrors: [ResourceURL] { fixed.mirrors }
    /// What carries its requests.
    var network: Network { fixed.network }
    /// Its clock.
    var time: TimeSource { fixed.time }
    /// How the work may be divided.
    var splitPolicy: SplitPolicy { fixed.splitPolicy }
    /// Seconds since 1970, for dates in answers.
    var wallClock: @Sendable () -> Int64 { fixed.wallClock }
    /// Where files are touched.
    var threads: DiskThreads { fixed.threads }
    /// Where snapshots and events go.
    var sink: ProgressSink { fixed.sink }
    /// Number of the first slot of this download's workers.
    var firstSlot: Int { fixed.firstSlot }
    /// Seed of jitter and samples.
    var seed: UInt64 { fixed.seed }

    /// Its priority among those that wait for a connection.
    var leaseTicket: LeaseTicket { ticket ?? LeaseTicket(request.priority) }

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
        guard let whole = WholeFetch(self) else { return await runAside(nil) }
        let result = await whole.run()
        lease?.release()
        return result
    }

    /// The same on the download's own threads: its task may be driven where answers come in.
    func runAside(_ first: FirstRequest<Network>?) async -> Result<DownloadReceipt, DownloadError> {
        guard threads.driver != nil else { return await runOn(first) }
        let isCancelled = Task.isCancelled
        let task = Task(executorPreference: threads.tasks) {
            // Not a moment later: it would ask again for what the cancelled request did not bring.
            if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
            return await runOn(first)
        }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Runs the download to its end where the first answer does not do it alone.
    ///
    /// - Parameter first: the first request, if it was sent already.
    /// - Returns: what the download came to.
    func runOn(_ first: FirstRequest<Network>?) async -> Result<DownloadReceipt, DownloadError> {
        var run = DownloadRun(self, goingOnWith: first)
        let result = await run.execute()
        await run.close()
        lease?.release()
        if case .failure = result { noteFigures?(run.receipt(path: "", size: 0, [])) }
        return result
    }

    /// How the work may be divided, as the user asked for it.
    static func splitPolicy(for request: DownloadRequest, _ options: DownloadOptions) -> SplitPolicy {
        var policy = SplitPolicy()
        let connections = request.connections ?? options.connections
        policy.connections = connections ?? DownloadOptions.automaticLimit
        policy.growsConnections = connections == nil
        // No file is as large, and twice as much is still a number.
        policy.minimumSplit = min(options.minimumSplitSize, 1 << 60)
        // Who names a size means it.
        if options.minimumSplitSize != DownloadOptions().minimumSplitSize { policy.leastPiece = policy.minimumSplit }
        if case .descriptor = request.destination { policy.window = options.streamWindow }
        return policy
    }

    /// What sends its requests, and has sent none.
    func sender() -> RequestSender<Network> {
        RequestSender(
            network: network, scope: scope, redirects: RedirectPolicy(limit: options.maximumRedirects),
            profile: fixed.profile, requests: Counter())
    }
}
