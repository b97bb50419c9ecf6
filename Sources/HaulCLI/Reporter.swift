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
        var lastPlain: ContinuousClock.Instant
    }

    /// Time between two lines where no line can be drawn over.
    private static let plainInterval = Duration.seconds(5)
    private let state: Mutex<State>
    private let console: Console
    private let reporting: FetchJob.Reporting
    private let showsPlain: Bool
    private let prefix: String?
    private let isStream: Bool

    /// Makes a reporter.
    ///
    /// - Parameters:
    ///   - request: the download.
    ///   - reporting: how to tell about it.
    ///   - console: where lines go.
    ///   - isLive: whether a line can be drawn over.
    ///   - isOneOfMany: whether failures must say which address they belong to.
    init(
        _ request: DownloadRequest, _ reporting: FetchJob.Reporting, on console: Console, isLive: Bool,
        isOneOfMany: Bool
    ) {
        var json = JSONEvent(url: request.url)
        let shown = Report.redacted(request.url)
        var name = shown
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
        showsPlain = reporting.verbosity != .quiet && reporting.progress != .none && !isLive
        prefix = isOneOfMany ? shown : nil
        state = Mutex(State(json: json, live: LiveLine(name: name), lastPlain: ContinuousClock().now))
        show(LiveLine(name: name))
    }

    /// Tells about a snapshot.
    func progress(_ progress: DownloadProgress) {
        let now = ContinuousClock().now
        state.withLock { state in
            // Events come by another way: one that throws bytes away must be told before the bytes are gone.
            guard progress.restarts == state.restarts, progress.received >= state.received else { return }
            state.received = progress.received
            if progress.received > state.live.progress.received { state.live.note = nil }
            state.live.progress = progress
            if reporting.json, state.hasStarted { console.output(state.json.progress(progress), replaceable: true) }
            show(state.live)
            if showsPlain, now - state.lastPlain >= Self.plainInterval {
                state.lastPlain = now
                console.error(ProgressRenderer.plain(state.live))
            }
        }
    }

    /// Tells about an event.
    func event(_ event: DownloadEvent) {
        state.withLock { state in
            switch event {
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
                let text = Printable.escaping("waiting \(TimeSpan.text(wait)): \(reason)")
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
            show(state.live)
        }
    }

    /// Tells that the file is there.
    func done(_ receipt: DownloadReceipt) {
        console.show(nil)
        state.withLock { state in
            state.json.output = receipt.path
            if !receipt.verified.isEmpty { json { state.json.verified(receipt.verified) } }
            json { state.json.done(receipt) }
        }
        if !reporting.json { say(.normal, Report.line(receipt)) }
    }

    /// Ends without a word.
    func ended() { console.show(nil) }

    /// Tells that the download failed.
    func failed(_ error: DownloadError, _ status: ExitStatus) {
        console.show(nil)
        state.withLock { state in json { state.json.error(error, exit: status) } }
        console.error("haul: " + Report.line(error, url: prefix, withCause: reporting.verbosity == .verbose))
    }

    /// Tells that a signal ended the download.
    func interrupted(_ error: DownloadError, _ status: ExitStatus) {
        console.show(nil)
        state.withLock { state in
            json { state.json.error(error, exit: status) }
            let isKept = state.received > 0 && !isStream
            let kept = isKept ? ", \(ByteCount.text(state.received)) kept" : ""
            let advice = isStream ? "" : ": the same command goes on from there"
            console.error("haul: interrupted\(kept)\(advice)")
        }
    }

    private func show(_ line: LiveLine) {
        if reporting.verbosity != .quiet { console.show(line) }
    }

    private func json(_ line: () -> String) {
        if reporting.json { console.output(line()) }
    }

    private func say(_ verbosity: Arguments.Verbosity, _ line: String) {
        // Whoever reads the events needs no words for them.
        let wanted: Arguments.Verbosity = reporting.json ? .verbose : verbosity
        switch (reporting.verbosity, wanted) {
        case (.quiet, _), (.normal, .verbose): break
        default: console.error(line)
        }
    }

    private static func name(of path: String) -> String {
        path.isEmpty ? Report.standardOutput : Printable.escaping(path.split(separator: "/").last ?? path[...])
    }
}
