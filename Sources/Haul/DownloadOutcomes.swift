/// The outcomes of a batch, in the order in which downloads finish.
///
/// Nothing happens before iteration begins. Requests are taken from their sequence only as fast as outcomes are read
/// here. Cancelling the reading task cancels what is under way, which keeps what it has received and is among the
/// outcomes; so does dropping the iterator. Each iteration is a batch of its own.
public struct DownloadOutcomes: AsyncSequence, Sendable {
    /// What `next()` returns.
    public typealias Element = DownloadOutcome
    /// Failures are part of the outcomes.
    public typealias Failure = Never

    private let capacity: Int
    private let start: @Sendable (Gate, OutcomeQueue) -> Task<Void, Never>

    private let wakingFor: Int

    init(capacity: Int, wakingFor: Int, start: @escaping @Sendable (Gate, OutcomeQueue) -> Task<Void, Never>) {
        self.capacity = capacity
        self.wakingFor = wakingFor
        self.start = start
    }

    /// Begins the batch.
    public func makeAsyncIterator() -> Iterator {
        let gate = Gate(capacity, wakingFor: wakingFor)
        let outcomes = OutcomeQueue()
        return Iterator(session: Session(gate: gate, outcomes: outcomes, task: start(gate, outcomes)))
    }

    /// What one iteration holds; the batch ends with it.
    fileprivate final class Session: Sendable {
        let gate: Gate
        let outcomes: OutcomeQueue
        let task: Task<Void, Never>

        init(gate: Gate, outcomes: OutcomeQueue, task: Task<Void, Never>) {
            self.gate = gate
            self.outcomes = outcomes
            self.task = task
        }

        deinit { task.cancel() }
    }

    /// Reads the outcomes.
    public struct Iterator: AsyncIteratorProtocol {
        private let session: Session

        fileprivate init(session: Session) { self.session = session }

        /// Waits for the next download to finish.
        ///
        /// - Returns: nil when all have.
        public func next() async -> DownloadOutcome? { await next(isolation: nil) }

        /// Waits for the next download to finish, in an actor.
        ///
        /// - Parameter actor: where the caller runs.
        /// - Returns: nil when all have.
        public func next(isolation actor: isolated (any Actor)?) async -> DownloadOutcome? {
            let session = session
            if !Task.isCancelled, let outcome = session.outcomes.nextNow() {
                session.gate.signal()
                return outcome
            }
            let outcome = await withTaskCancellationHandler {
                await session.outcomes.next()
            } onCancel: {
                session.task.cancel()
            }
            if outcome != nil { session.gate.signal() }
            return outcome
        }
    }
}
