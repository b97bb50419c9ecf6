import Haul
import Synchronization

/// Collects what the live display shows of all downloads.
final class Board: Sendable {
    private struct State: Sendable {
        var lines: [Int: LiveLine] = [:]
        /// What all have together; nil for a single download.
        var total: LiveTotal?
        /// Bytes that ended downloads had received.
        var endedBytes: Int64 = 0
        var lastPlain = ContinuousClock().now
        var rate = SmoothedRate()
    }

    private static let plainInterval = Duration.seconds(5)
    private let state: Mutex<State>
    private let console: Console
    private let showsLive: Bool
    private let showsPlain: Bool

    /// Makes a board without downloads.
    ///
    /// - Parameters:
    ///   - console: where it is shown.
    ///   - reporting: how to tell.
    ///   - isLive: whether lines can be drawn over.
    ///   - isBatch: whether there may be several downloads, which have a total.
    ///   - files: files in all, if known.
    init(console: Console, _ reporting: FetchJob.Reporting, isLive: Bool, isBatch: Bool, files: Int?) {
        self.console = console
        let shows = reporting.verbosity != .quiet && reporting.progress != .none
        showsLive = shows && isLive
        showsPlain = shows && !isLive
        var total = LiveTotal()
        total.files = files
        state = Mutex(State(total: isBatch ? total : nil))
    }

    /// What was taken for a batch is one download.
    func isSingle() { state.withLock { $0.total = nil } }

    /// Whether anything is shown.
    var isShown: Bool { showsLive || showsPlain }

    /// Shows a download, or what is new about it.
    func update(_ index: Int, _ line: LiveLine) {
        guard isShown else { return }
        state.withLock { state in
            if state.lines.updateValue(line, forKey: index) == nil { state.total?.active += 1 }
            show(&state)
        }
    }

    /// Takes a download off.
    func remove(_ index: Int, failed: Bool, received: Int64) {
        state.withLock { state in
            if state.lines.removeValue(forKey: index) != nil { state.total?.active -= 1 }
            if failed { state.total?.failed += 1 } else { state.total?.done += 1 }
            state.endedBytes += received
            if isShown { show(&state) }
        }
    }

    /// Takes everything off.
    func clear() { if showsLive { console.show(nil) } }

    private func show(_ state: inout State) {
        let now = ContinuousClock().now
        if showsLive, console.wantsDisplay {
            console.show(display(&state, now))
        } else if showsPlain, now - state.lastPlain >= Self.plainInterval {
            state.lastPlain = now
            let display = display(&state, now)
            if let total = display.total {
                console.error(ProgressRenderer.plain(total))
            } else {
                for line in display.lines { console.error(ProgressRenderer.plain(line)) }
            }
        }
    }

    private func display(_ state: inout State, _ now: ContinuousClock.Instant) -> LiveDisplay {
        let lines = state.lines.sorted { $0.key < $1.key }.map(\.value)
        guard var total = state.total else { return LiveDisplay(lines: lines, total: nil) }
        let progress = lines.map(\.progress)
        total.connections = progress.reduce(0) { $0 + $1.connections }
        total.received = state.endedBytes + progress.reduce(0) { $0 + max(0, $1.received - $1.resumed) }
        total.bytesPerSecond = state.rate.record(total.received, at: now)
        state.total = total
        return LiveDisplay(lines: lines, total: total)
    }
}
