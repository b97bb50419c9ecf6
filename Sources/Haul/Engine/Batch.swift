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
    func take(_ request: DownloadRequest, _ group: inout DiscardingTaskGroup) async {
        await gate.wait()
        guard !Task.isCancelled else { return }
        let index = Int(taken.next(1))
        switch ledger.admit(request, index: index) {
        case .fetch(let key):
            // An address that can't be parsed is told when its turn comes.
            let url = try? downloader.choice.parse(request.url, nil)
            let name = BatchName(Self.path(of: request, at: url), in: names)
            let threads = downloader.threads(for: request, at: url)
            group.addTask(executorPreference: threads?.executor) {
                await self.fetch(Turn(request: request, index: index, key: key, url: url, threads: threads), name)
            }
        case .wait: break
        case .finished(let receipt):
            outcomes.send(
                DownloadOutcome(
                    index: index, request: request, result: .success(receipt), isDuplicate: true, path: receipt.path))
        }
    }

    /// A request that is to be fetched.
    private struct Turn: Sendable {
        let request: DownloadRequest
        let index: Int
        let key: Fingerprint
        /// Its address; nil if it can't be parsed.
        let url: ResourceURL?
        /// Where it is driven.
        let threads: DiskThreads?
    }

    private func fetch(_ turn: Turn, _ name: BatchName) async {
        guard let lease = await lease(for: turn) else { return end(turn, name, .failure(.cancelledKeeping)) }
        guard let onStart else {
            let result = await downloader.fetch(
                turn.request, options: options, name: name, lease: lease, at: turn.url, on: turn.threads)
            return end(turn, name, result)
        }
        let download = downloader.start(
            turn.request, options: options, name: name, lease: lease, at: turn.url, on: turn.threads)
        onStart(turn.index, turn.request, download)
        end(turn, name, await download.resultOrLeave())
    }

    private func lease(for turn: Turn) async -> ConnectionLease? {
        let (budget, host) = (downloader.budget, turn.url?.host ?? "")
        if let lease = budget.leaseNow(for: host) { return lease }
        return await budget.lease(for: host, ticket: LeaseTicket(turn.request.priority))
    }

    private func end(_ turn: Turn, _ name: BatchName, _ result: Result<DownloadReceipt, DownloadError>) {
        var path: String? = name.path
        if case .descriptor = turn.request.destination { path = nil }
        outcomes.send(
            DownloadOutcome(
                index: turn.index, request: turn.request, result: result, isDuplicate: false, path: path))
        for other in ledger.end(turn.request, turn.key, result) {
            outcomes.send(
                DownloadOutcome(
                    index: other.index, request: other.request, result: result, isDuplicate: true, path: path))
        }
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
