import Synchronization

/// What one task waits for, from its child tasks and from anywhere else.
final class OutcomeBox<Outcome: Sendable>: Sendable {
    /// One outcome, and whether a child task ended with it.
    typealias Letter = (outcome: Outcome, endsErrand: Bool)

    private struct State {
        var letters: [Letter] = []
        var reader: CheckedContinuation<Letter, Never>?
    }

    private let state = Mutex(State())

    /// Makes an empty box.
    init() {}

    /// Puts an outcome in; any thread may.
    func send(_ outcome: Outcome, endsErrand: Bool = false) {
        let reader = state.withLock { state in
            let reader = state.reader.take()
            if reader == nil { state.letters.append((outcome, endsErrand)) }
            return reader
        }
        reader?.resume(returning: (outcome, endsErrand))
    }

    /// Waits for an outcome; for one task.
    ///
    /// Cancelling it ends no wait: whoever cancels must send something.
    func next() async -> Letter {
        if let letter = state.withLock({ $0.letters.isEmpty ? nil : $0.letters.removeFirst() }) { return letter }
        return await withCheckedContinuation { continuation in
            let letter: Letter? = state.withLock { state in
                if !state.letters.isEmpty { return state.letters.removeFirst() }
                state.reader = continuation
                return nil
            }
            if let letter { continuation.resume(returning: letter) }
        }
    }
}
