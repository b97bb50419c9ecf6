import Haul
import Synchronization

/// Fetches the files of a job, several at once.
final class FetchRunner: Sendable {
    /// What became of the files so far.
    private struct State: Sendable {
        var tally = BatchTally()
        /// Whether there may be more than one file.
        var isBatch: Bool
        /// Reporters of downloads under way, and the tasks that feed them.
        var reporters: [Int: (reporter: Reporter, download: Download, feed: Task<Void, Never>)] = [:]
    }

    private let job: FetchJob
    private let limits: DownloaderOptions
    private let console: Console
    private let board: Board
    private let interruption: @Sendable () -> Int32?
    private let state: Mutex<State>
    private let clock = ContinuousClock()

    /// Makes a runner.
    ///
    /// - Parameters:
    ///   - job: what to fetch.
    ///   - limits: what all files share.
    ///   - console: where lines go.
    ///   - isLive: whether a line can be drawn over.
    ///   - interruption: the signal that ends the program, once there is one.
    init(
        job: FetchJob, limits: DownloaderOptions, console: Console, isLive: Bool,
        interruption: @escaping @Sendable () -> Int32?
    ) {
        self.job = job
        self.limits = limits
        self.console = console
        self.interruption = interruption
        state = Mutex(State(isBatch: job.isBatch))
        board = Board(
            console: console, job.reporting, isLive: isLive, isBatch: job.isBatch,
            files: job.isListed ? nil : job.requests.count)
    }

    /// Fetches everything; a file that fails does not keep the others from being tried.
    ///
    /// - Returns: the status of the first failure.
    @concurrent func run() async -> ExitStatus {
        let start = clock.now
        var lists: [InputFile] = []
        do throws(UsageError) {
            for path in job.inputFiles { lists.append(try InputFile(path)) }
        } catch {
            note(.problem(DownloadError(.invalidRequest, error.message)))
            return .usage
        }
        // Once, instead of with each file.
        if let directory = job.template.directory, isBatch, let reason = Platform.reasonUnusable(directory) {
            note(.problem(DownloadError(.fileSystem, "\(directory): \(reason)")))
            return .fileSystem
        }
        let downloader = Downloader(options: limits)
        downloader.maximumRate = job.maximumRate
        let metalinks = job.metalinks.map {
            downloader.requests(
                fromMetalink: $0, into: job.template.directory ?? ".", like: job.template.request, options: job.options)
        }
        let source = RequestSource(
            requests: job.requests, metalinks: metalinks, files: lists, template: job.template
        ) {
            await self.console.room()
        } onTrouble: {
            self.note($0)
        } onSingle: {
            self.state.withLock { $0.isBatch = false }
            self.board.isSingle()
        }
        // Who hears nothing of a file before its end needs nobody who listens to it, unless it is the only one.
        let begin: @Sendable (Int, DownloadRequest, Download) -> Void = { self.begin($0, $1, $2) }
        let outcomes = downloader.download(
            contentsOf: source, options: job.options, onStart: isHeard || !job.isBatch ? begin : nil)
        for await outcome in outcomes { await end(outcome, of: downloader) }
        board.clear()
        return conclude(clock.now - start)
    }

    /// Tells about a list, to people and to programs.
    private func note(_ trouble: RequestSource.Trouble) {
        let text: String
        let event: String
        switch trouble {
        case .unnamed:
            state.withLock { $0.tally.fail(.usage) }
            return
        case .warning(let warning):
            text = warning
            event = JSONEvent(url: nil).notice(warning)
        case .problem(let error):
            let status = ExitStatus(error.code)
            state.withLock { $0.tally.fail(status) }
            text = error.message
            event = JSONEvent(url: nil).error(error, exit: status)
        }
        if job.reporting.json { console.output(event) }
        console.error("haul: " + Printable.escaping(text))
    }

    /// Whether anybody hears of files that do not fail.
    private var isHeard: Bool { board.isShown || job.reporting.json || job.reporting.verbosity != .quiet }

    /// Whether anybody hears how far files are.
    private var wantsProgress: Bool { board.isShown || job.reporting.json }

    private var isBatch: Bool { state.withLock { $0.isBatch } }

    private func begin(_ index: Int, _ request: DownloadRequest, _ download: Download) {
        let reporter = Reporter(
            request, job.reporting, on: console, board: board, index: index, isOneOfMany: isBatch)
        let wantsProgress = wantsProgress
        let feed = Task {
            guard wantsProgress else {
                for await event in download.events { reporter.event(event) }
                return
            }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await progress in download.progress { reporter.progress(progress) } }
                for await event in download.events { reporter.event(event) }
            }
        }
        state.withLock { $0.reporters[index] = (reporter, download, feed) }
    }

    private func end(_ outcome: DownloadOutcome, of downloader: Downloader) async {
        let begun = state.withLock { $0.reporters.removeValue(forKey: outcome.index) }
        await begun?.feed.value
        if let begun, !wantsProgress { begun.reporter.progress(begun.download.snapshot) }
        if case .success(let receipt) = outcome.result {
            state.withLock { $0.tally.finish(receipt, isDuplicate: outcome.isDuplicate) }
            if !isHeard { return }
        }
        let reporter =
            begun?.reporter
            ?? Reporter(
                outcome.request, job.reporting, on: console, board: board, index: outcome.index,
                isOneOfMany: isBatch)
        switch outcome.result {
        case .success(let receipt): reporter.done(receipt, isDuplicate: outcome.isDuplicate)
        case .failure(let error):
            if let signal = interruption(), error.code == .cancelled {
                let status = ExitStatus.interrupted(signal: signal)
                // Equal requests share what is on hand.
                let path = outcome.isDuplicate ? nil : outcome.path
                let kept = reporter.interrupted(error, status, path: path) { path in
                    let directory = job.options.temporaryDirectory
                    // What can't be looked at is found by the next run, or not.
                    return (try? downloader.status(of: path, temporaryDirectory: directory)?.finished) ?? 0
                }
                state.withLock { $0.tally.interrupt(status, kept: kept, received: reporter.receivedNow(kept)) }
            } else if error.code == .outputClosed {
                state.withLock { $0.tally.leave() }
                reporter.ended()
            } else {
                let status = ExitStatus(error.code)
                state.withLock { $0.tally.fail(status, received: reporter.receivedNow()) }
                reporter.failed(error, status)
            }
        }
    }

    /// Says how it went.
    private func conclude(_ time: Duration) -> ExitStatus {
        let (tally, isBatch) = state.withLock { ($0.tally, $0.isBatch) }
        // A signal that comes when the only file has its name already interrupts nothing.
        let isSingle = !isBatch && tally.done == 0
        if let signal = interruption(), tally.interrupted > 0 || isSingle || isBatch && job.isListed {
            console.error("haul: interrupted" + (job.isStream ? "" : Report.rest(of: tally)))
            if tally.status == .done { return .interrupted(signal: signal) }
        }
        if isBatch, job.reporting.verbosity != .quiet {
            let known = job.isListed ? nil : job.requests.count
            console.error("haul: " + Report.summary(tally, of: known, in: time))
        }
        if tally.status == .done, let signal = interruption(), job.requests.count > tally.files {
            return .interrupted(signal: signal)
        }
        return tally.status
    }
}
