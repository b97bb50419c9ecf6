import Synchronization

/// Everything the program writes, from one thread.
///
/// Tasks post and never wait; the main thread writes. So a stuck terminal or a slow reader can't hold up a download under
/// way, and the live line and messages never mix. Whoever begins more waits for room, so that what is posted about any
/// number of downloads does not fill the memory.
final class Console: Sendable {
    /// Something to write.
    private enum Message: Sendable {
        /// A line for people.
        case error(String)
        /// A line for programs; one that is `replaceable` may give way to the next while it waits.
        case output(String, replaceable: Bool)
        /// Text for programs as it is.
        case text(String)
    }

    private struct State: Sendable {
        var messages: [Message] = []
        var live: LiveDisplay?
        var isDirty = false
        var nextDraw = ContinuousClock().now
        var status: ExitStatus?
        /// Those that wait for room.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Messages that may wait before whatever leads to more waits too: a few megabytes.
    static let most = 16_384

    /// Shortest time between two redraws: ten a second.
    private static let redrawInterval = Duration.milliseconds(100)
    private let state = Mutex(State())
    private let terminal: Terminal
    private let wakeUp: (reading: Int32, writing: Int32)
    private let output: Int32
    private let error: Int32

    /// Makes a console, or is nil when the process has no descriptors left.
    ///
    /// - Parameters:
    ///   - terminal: what standard error is.
    ///   - output: where text for programs goes.
    ///   - error: where text for people goes.
    init?(_ terminal: Terminal, output: Int32 = Platform.standardOutput, error: Int32 = Platform.standardError) {
        guard let pipe = Platform.pipe() else { return nil }
        self.output = output
        self.error = error
        wakeUp = pipe
        self.terminal = terminal
    }

    deinit {
        Platform.closeDescriptor(wakeUp.reading)
        Platform.closeDescriptor(wakeUp.writing)
    }

    /// Writes a line to standard error.
    func error(_ line: String) { post { $0.messages.append(.error(line)) } }

    /// Writes a line to standard output.
    ///
    /// - Parameters:
    ///   - line: the line without its end.
    ///   - replaceable: whether the next such line may take its place while it waits for a slow reader.
    func output(_ line: String, replaceable: Bool = false) {
        post { state in
            // The next one says as much, and there is always a last line that is not replaceable.
            if replaceable, state.messages.count >= Self.most { return }
            if replaceable, case .output(_, replaceable: true)? = state.messages.last { state.messages.removeLast() }
            state.messages.append(.output(line, replaceable: replaceable))
        }
    }

    /// Writes text to standard output as it is.
    func text(_ text: String) { post { $0.messages.append(.text(text)) } }

    /// Whether it is time for the next redraw: what is shown earlier may never be seen.
    var wantsDisplay: Bool { state.withLock { ContinuousClock().now >= $0.nextDraw } }

    /// Shows a live block, or none; without effect where lines can't be drawn over.
    func show(_ display: LiveDisplay?) {
        guard terminal.isLive else { return }
        post { state in
            state.live = display
            state.isDirty = true
        }
    }

    /// Waits until what is posted is being written; a cancelled task does not wait.
    func room() async {
        // As it nearly always is.
        if state.withLock({ $0.messages.count < Self.most }) { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let hasRoom = state.withLock { state in
                    if state.messages.count < Self.most || Task.isCancelled { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if hasRoom { continuation.resume() }
            }
        } onCancel: {
            letGo()
        }
    }

    private func letGo() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Ends `run` when everything posted before is written.
    func finish(_ status: ExitStatus) { post { $0.status = status } }

    /// Writes what is posted until `finish`.
    ///
    /// For the main thread.
    ///
    /// - Returns: the status to exit with.
    func run() -> Int32 {
        let clock = ContinuousClock()
        var painter = Painter(terminal: terminal, output: output, error: error)
        while true {
            let (messages, status) = state.withLock { state in
                defer { state.messages = [] }
                return (state.messages, state.status)
            }
            letGo()
            write(messages, painter: &painter)
            if let status {
                painter.clear()
                return painter.status(status)
            }
            let now = clock.now
            var wait: Int32 = -1
            let display: LiveDisplay?? = state.withLock { state in
                // What was posted meanwhile, beside a display that waited, has written no byte.
                if !state.messages.isEmpty || state.status != nil { wait = 0 }
                guard state.isDirty else { return nil }
                guard now >= state.nextDraw || state.live == nil else {
                    if wait != 0 { wait = Int32((TimeSpan.seconds(state.nextDraw - now) * 1000).rounded(.up)) }
                    return nil
                }
                state.isDirty = false
                state.nextDraw = now + Self.redrawInterval
                return .some(state.live)
            }
            if let display { painter.show(display) }
            if Platform.wait(for: wakeUp.reading, events: Platform.readable, milliseconds: wait) {
                _ = Platform.read(wakeUp.reading)
            }
        }
    }

    /// Writes messages in order, what follows each other on one descriptor at once.
    private func write(_ messages: [Message], painter: inout Painter) {
        var errors = ""
        var texts = ""
        for message in messages {
            switch message {
            case .error(let line):
                if !texts.isEmpty { painter.output(texts) }
                texts = ""
                errors += line + "\n"
            case .output(let text, _), .text(let text):
                if !errors.isEmpty { painter.error(errors) }
                errors = ""
                texts += text
                if case .output = message { texts += "\n" }
            }
        }
        if !texts.isEmpty { painter.output(texts) }
        if !errors.isEmpty { painter.error(errors) }
    }

    private func post(_ change: (inout sending State) -> Void) {
        let wasIdle = state.withLock { state in
            let wasIdle = state.messages.isEmpty && !state.isDirty && state.status == nil
            change(&state)
            return wasIdle
        }
        // A byte each time the main thread may be asleep: never more than the pipe holds.
        if wasIdle { _ = Platform.write("w", to: wakeUp.writing) }
    }
}
