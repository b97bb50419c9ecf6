import Synchronization

/// Outcomes on their way from downloads to the one reader.
final class OutcomeQueue: Sendable {
    private struct State {
        var outcomes: [DownloadOutcome] = []
        var reader: CheckedContinuation<DownloadOutcome?, Never>?
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Makes an empty queue.
    init() {}

    /// Adds an outcome.
    func send(_ outcome: DownloadOutcome) {
        let reader = state.withLock { state in
            let reader = state.reader.take()
            if reader == nil { state.outcomes.append(outcome) }
            return reader
        }
        reader?.resume(returning: outcome)
    }

    /// No outcome follows.
    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            return state.reader.take()
        }
        reader?.resume(returning: nil)
    }

    /// Waits for an outcome; nil at the end.
    func next() async -> DownloadOutcome? {
        await withCheckedContinuation { continuation in
            let answer: DownloadOutcome?? = state.withLock { state in
                if !state.outcomes.isEmpty { return .some(state.outcomes.removeFirst()) }
                if state.isFinished { return .some(nil) }
                state.reader = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }
}
