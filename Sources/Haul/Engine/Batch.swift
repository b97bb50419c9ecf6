import HaulCore
import Synchronization

/// A batch under way: takes requests one by one and has them fetched.
final class Batch: Sendable {
    /// Called when a download's turn has come.
    typealias Start = @Sendable (Int, DownloadRequest, Download) -> Void

    private let downloader: Downloader
    private let options: PreparedOptions
    private let onStart: Start?
    private let gate: Gate
    private let outcomes: OutcomeQueue
    private let ledger = BatchLedger()
    private let names = NameRegistry()
    private let taken = Counter()
    /// What was taken and has not ended.
    let tasks = BatchTasks()

    /// Makes a batch without requests.
    init(
        _ downloader: Downloader, _ options: DownloadOptions, _ onStart: Start?, gate: Gate, outcomes: OutcomeQueue
    ) {
        self.downloader = downloader
        self.options = PreparedOptions(options, over: downloader.choice)
        self.onStart = onStart
        self.gate = gate
        self.outcomes = outcomes
    }

    /// Takes a request when there is room for it.
    func take(_ request: DownloadRequest) async {
        await gate.wait()
        guard !Task.isCancelled else { return }
        let index = Int(taken.next(1))
        switch ledger.admit(request, index: index) {
        case .fetch(let key):
            // An address that can't be parsed is told when its turn comes.
            let url = try? downloader.choice.parse(request.url, nil)
            let name = BatchName(Self.path(of: request, at: url), in: names)
            let turn = Turn(request: request, index: index, key: key, url: url, name: name)
            tasks.open()
            downloader.budget.ask(for: url?.host ?? "", request.priority, owner: self) { self.begin(turn, $0) }
            // Who cancelled did not find it, perhaps.
            if Task.isCancelled { downloader.budget.giveUp(of: self) }
        case .wait: break
        case .finished(let receipt):
            outcomes.send(
                DownloadOutcome(
                    index: index, request: request, result: .success(receipt), isDuplicate: true, path: receipt.path))
        }
    }

    /// Waits until everything that was taken has ended.
    func end() async { await tasks.wait() }

    /// Ends everything that was taken, from any thread.
    func cancel() {
        tasks.cancel()
        downloader.budget.giveUp(of: self)
    }

    /// A request that is to be fetched.
    private final class Turn: Sendable {
        let request: DownloadRequest
        let index: Int
        let key: Fingerprint
        /// Its address; nil if it can't be parsed.
        let url: ResourceURL?
        let name: BatchName

        init(request: DownloadRequest, index: Int, key: Fingerprint, url: ResourceURL?, name: BatchName) {
            self.request = request
            self.index = index
            self.key = key
            self.url = url
            self.name = name
        }
    }

    /// Its turn has come, or will not come.
    private func begin(_ turn: Turn, _ lease: ConnectionLease?) {
        guard let lease else { return end(turn, .failure(.cancelledKeeping)) }
        let threads = downloader.threads(for: turn.request, at: turn.url)
        let isStarted = tasks.start(turn.index, on: threads?.executor) { await self.fetch(turn, lease, on: threads) }
        if !isStarted { end(turn, .failure(.cancelledKeeping)) }
    }

    private func fetch(_ turn: Turn, _ lease: ConnectionLease, on threads: DiskThreads?) async {
        guard let onStart else {
            // Nobody follows, pauses or asks about it: a `Download` would cost as much as the rest.
            let result = await downloader.attempt(
                nil, turn.request, options.options, lease: lease, name: turn.name, at: turn.url, on: threads, options)
            return end(turn, result, on: threads?.driver)
        }
        let download = downloader.start(
            turn.request, options: options, name: turn.name, lease: lease, at: turn.url, on: threads)
        onStart(turn.index, turn.request, download)
        end(turn, await download.resultOrLeave(), on: threads?.driver)
    }

    private func end(
        _ turn: Turn, _ result: Result<DownloadReceipt, DownloadError>, on executor: (any ArrivalExecutor)? = nil
    ) {
        var path: String? = turn.name.path
        if case .descriptor = turn.request.destination { path = nil }
        outcomes.send(
            DownloadOutcome(
                index: turn.index, request: turn.request, result: result, isDuplicate: false, path: path),
            from: executor)
        for other in ledger.end(turn.request, turn.key, result) {
            outcomes.send(
                DownloadOutcome(
                    index: other.index, request: other.request, result: result, isDuplicate: true, path: path))
        }
        tasks.end(turn.index)
    }

    /// Where a request's file goes, as far as it is known before the server is asked.
    private static func path(of request: DownloadRequest, at url: ResourceURL?) -> String {
        switch request.destination {
        case .file(let path): return path
        case .descriptor: return ""
        case .directory(let directory):
            return DownloadPaths.candidate(in: directory, for: url)
        }
    }
}
