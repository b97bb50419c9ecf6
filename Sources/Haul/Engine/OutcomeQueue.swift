import HaulCore
import Synchronization

/// Outcomes on their way from downloads to the one reader.
final class OutcomeQueue: Sendable {
    private struct State {
        var outcomes = FrontQueue<DownloadOutcome>()
        var reader: CheckedContinuation<DownloadOutcome?, Never>?
        /// Whether the reader is about to be told.
        var isTelling = false
        var isFinished = false
    }

    /// Outcomes of which a reader that waits is told at once, however much there is to do.
    private static let crowd = 16

    private let state = Mutex(State())

    /// Makes an empty queue.
    init() {}

    /// Whether the reader waits.
    var hasReader: Bool { state.withLock { $0.reader != nil } }

    /// Adds an outcome.
    ///
    /// - Parameters:
    ///   - outcome: what a download came to.
    ///   - executor: where the caller runs; a reader that waits is told when there is nothing else to do there. nil tells
    ///     it at once.
    func send(_ outcome: DownloadOutcome, from executor: (any ArrivalExecutor)? = nil) {
        enum Step { case none, later, now }
        let step = state.withLock { state -> Step in
            state.outcomes.append(outcome)
            guard state.reader != nil else { return .none }
            if executor == nil || state.outcomes.count >= Self.crowd { return .now }
            defer { state.isTelling = true }
            return state.isTelling ? .none : .later
        }
        switch step {
        case .none: break
        case .now: tell()
        case .later: executor?.whenIdle { self.tell(afterWaiting: true) }
        }
    }

    /// No outcome follows.
    func finish() {
        state.withLock { $0.isFinished = true }
        tell()
    }

    /// Gives the reader that waits the first outcome, or tells it that none follows.
    private func tell(afterWaiting: Bool = false) {
        let answer = state.withLock { state -> (CheckedContinuation<DownloadOutcome?, Never>, DownloadOutcome?)? in
            if afterWaiting { state.isTelling = false }
            guard !state.outcomes.isEmpty || state.isFinished, let reader = state.reader.take() else {
                return nil
            }
            return (reader, state.outcomes.popFirst())
        }
        if let (reader, outcome) = answer { reader.resume(returning: outcome) }
    }

    /// An outcome, if there is one already.
    func nextNow() -> DownloadOutcome? { state.withLock { $0.outcomes.popFirst() } }

    /// Waits for an outcome; nil at the end.
    func next() async -> DownloadOutcome? {
        await withCheckedContinuation { continuation in
            let answer: DownloadOutcome?? = state.withLock { state in
                if let outcome = state.outcomes.popFirst() { return .some(outcome) }
                if state.isFinished { return .some(nil) }
                state.reader = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }
}
