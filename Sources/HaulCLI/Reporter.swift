import Haul
import Synchronization

/// Tells about one download: turns its progress and events into lines.
final class Reporter: Sendable {
    private struct State: Sendable {
        var json: JSONEvent
        var live: LiveLine
        var hasStarted = false
        var restarts = 0
        var received: Int64 = 0
    }

    private let state: Mutex<State>
    private let console: Console
    private let reporting: FetchJob.Reporting
    private let board: Board
    private let index: Int
    private let prefix: String?
    /// What tells it from others whose addresses look alike without their queries.
    private let mark: String
    private let isStream: Bool

    /// Makes a reporter.
    ///
    /// - Parameters:
    ///   - request: the download.
    ///   - reporting: how to tell about it.
    ///   - console: where lines go.
    ///   - board: what shows it while it is under way.
    ///   - index: its place in the run.
    ///   - isOneOfMany: whether failures must say which address they belong to.
    init(
        _ request: DownloadRequest, _ reporting: FetchJob.Reporting, on console: Console, board: Board,
        index: Int, isOneOfMany: Bool
    ) {
        var json = JSONEvent(url: request.url)
        let shown = Report.redacted(request.url)
        // The name that the file gets if the server gives no other.
        var name = shown.split(separator: "/").count > 2 ? Self.name(of: shown) : shown
        if case .file(let path) = request.destination {
            json.output = path
            name = Self.name(of: path)
        }
        if case .descriptor = request.destination {
            name = Report.standardOutput
            isStream = true
        } else {
            isStream = false
        }
        self.reporting = reporting
        self.console = console
        self.board = board
        self.index = index
        prefix = isOneOfMany ? shown : nil
        mark = isOneOfMany && request.url.contains("?") ? Self.mark(of: request, index) : ""
        state = Mutex(State(json: json, live: LiveLine(name: name)))
        board.update(index, LiveLine(name: name))
    }

    /// Tells about a snapshot.
    func progress(_ progress: DownloadProgress) {
        state.withLock { state in
            // Events come by another way: one that throws bytes away must be told before the bytes are gone.
            guard progress.restarts == state.restarts, progress.received >= state.received else { return }
            state.received = progress.received
            if progress.received > state.live.progress.received { state.live.note = nil }
            state.live.progress = progress
            if reporting.json, state.hasStarted { console.output(state.json.progress(progress), replaceable: true) }
            board.update(index, state.live)
        }
    }

    /// Tells about an event.
    func event(_ event: DownloadEvent) {
        state.withLock { state in
            switch event {
            case .located(let path):
                state.json.output = path
            case .started(let path, let total, let resumed):
                state.hasStarted = true
                state.json.output = path
                state.live.name = Self.name(of: path)
                json { state.json.start(total: total, resumed: resumed) }
                let have = resumed > 0 ? ", \(ByteCount.text(resumed)) on hand" : ""
                let size = total.map(ByteCount.text) ?? "size unknown"
                say(.verbose, "\(Report.name(path)): \(size)\(have)")
            case .planned(let text):
                json { state.json.plan(text) }
                say(.verbose, Printable.escaping(text))
            case .retrying(let reason, let wait):
                json { state.json.retry(reason: reason, wait: wait) }
                let text = Printable.escaping("\(TimeSpan.wait(wait)): \(reason)")
                state.live.note = text
                say(.verbose, text)
            case .restarted(let reason):
                state.restarts += 1
                state.received = 0
                state.live.progress.received = 0
                json { state.json.restart(reason: reason) }
                say(.normal, Printable.escaping("starting over: \(reason)"))
            case .notice(let text):
                json { state.json.notice(text) }
                say(.normal, Printable.escaping(text))
            @unknown default: break
            }
            board.update(index, state.live)
        }
    }

    /// Tells that the file is there.
    func done(_ receipt: DownloadReceipt, isDuplicate: Bool = false) {
        board.remove(index, failed: false, received: isDuplicate ? 0 : receipt.received)
        state.withLock { state in
            state.json.output = receipt.path
            if !receipt.verified.isEmpty { json { state.json.verified(receipt.verified) } }
            json { state.json.done(receipt, isDuplicate: isDuplicate) }
        }
        if reporting.json { return }
        if isDuplicate {
            say(.verbose, "\(Report.name(receipt.path)): asked for more than once, fetched once")
        } else {
            say(.normal, Report.line(receipt, withRequests: reporting.verbosity == .verbose))
        }
    }

    /// Counts the bytes on hand that came in this run.
    ///
    /// - Parameter onHand: bytes on hand, where more is known than the last snapshot told.
    /// - Returns: 0 as long as none were told of.
    func receivedNow(_ onHand: Int64 = 0) -> Int64 {
        state.withLock { state in
            // Until bytes have come, all that is on hand is an earlier run's.
            guard state.received > 0 else { return 0 }
            return max(0, max(state.received, onHand) - state.live.progress.resumed)
        }
    }

    /// Ends without a word.
    func ended() { board.remove(index, failed: false, received: state.withLock { $0.received }) }

    /// Tells that the download failed.
    func failed(_ error: DownloadError, _ status: ExitStatus) {
        board.remove(index, failed: true, received: state.withLock { $0.received })
        state.withLock { state in json { state.json.error(error, exit: status) } }
        console.error("haul: " + mark + Report.line(error, url: prefix, withCause: reporting.verbosity == .verbose))
    }

    /// Tells programs that a signal ended the download; people are told once for all.
    ///
    /// - Parameters:
    ///   - error: what it ended with.
    ///   - status: what that means to the program.
    ///   - path: where the file would be; nil if that is not known, or another counts what it has left.
    ///   - onDisk: says what a download to a path has left.
    /// - Returns: bytes that the next run goes on from: none where the server gives the file only as one stream.
    func interrupted(
        _ error: DownloadError, _ status: ExitStatus, path: String?, onDisk: (String) -> Int64
    ) -> Int64 {
        state.withLock { state in
            json { state.json.error(error, exit: status) }
            return isStream ? 0 : path.map(onDisk) ?? 0
        }
    }

    private func json(_ line: () -> String) {
        if reporting.json { console.output(line()) }
    }

    private func say(_ verbosity: Arguments.Verbosity, _ line: @autoclosure () -> String) {
        // Whoever reads the events needs no words for them.
        let wanted: Arguments.Verbosity = reporting.json ? .verbose : verbosity
        switch (reporting.verbosity, wanted) {
        case (.quiet, _), (.normal, .verbose): break
        default: console.error(line())
        }
    }

    /// The name that was chosen for a file, or its place among all, from 1.
    private static func mark(of request: DownloadRequest, _ index: Int) -> String {
        guard case .file(let path) = request.destination else { return "number \(index + 1): " }
        return Report.name(path) + ": "
    }

    private static func name(of path: String) -> String {
        path.isEmpty ? Report.standardOutput : Printable.escaping(path.split(separator: "/").last ?? path[...])
    }
}
