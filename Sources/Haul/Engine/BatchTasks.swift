import Synchronization

/// The downloads of a batch that have not ended: those that wait for their turn, and the tasks of the others.
final class BatchTasks: Sendable {
    private struct State {
        var running: [Int: Task<Void, Never>] = [:]
        /// Those that have not ended, with a task or without.
        var open = 0
        var isCancelled = false
        /// Waits until none is open.
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Makes a table without downloads.
    init() {}

    /// The tasks that run now.
    var running: [Task<Void, Never>] { state.withLock { Array($0.running.values) } }

    /// One more is open, until `end`.
    func open() { state.withLock { $0.open += 1 } }

    /// Starts the task of one that is open.
    ///
    /// - Parameters:
    ///   - index: the download.
    ///   - executor: where it runs.
    ///   - body: what it does; calls `end` last.
    /// - Returns: false if the batch was cancelled: then nothing was started.
    func start(
        _ index: Int, on executor: (any TaskExecutor)?, _ body: @escaping @Sendable () async -> Void
    ) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            // Under the lock: it does not end before it is in the table.
            state.running[index] = Task(executorPreference: executor) { await body() }
            return true
        }
    }

    /// One ended.
    func end(_ index: Int) {
        let waiter = state.withLock { state in
            state.running[index] = nil
            state.open -= 1
            return state.open == 0 ? state.waiter.take() : nil
        }
        waiter?.resume()
    }

    /// Cancels the tasks, and starts no other.
    func cancel() {
        let running = state.withLock { state in
            state.isCancelled = true
            return Array(state.running.values)
        }
        for task in running { task.cancel() }
    }

    /// Waits until none is open.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.open > 0 { state.waiter = continuation }
                return state.open == 0
            }
            if isOver { continuation.resume() }
        }
    }
}
