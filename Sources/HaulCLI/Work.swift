import Synchronization

/// The one task of the program, which a signal may cancel before it has begun.
final class Work: Sendable {
    private struct State: Sendable {
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Starts the task.
    func start(_ operation: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            let task = Task { await operation() }
            if state.isCancelled { task.cancel() }
            state.task = task
        }
    }

    /// Cancels the task, or the one that will be started.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
