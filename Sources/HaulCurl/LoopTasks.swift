import HaulCore

/// Lets tasks run on the thread of a transfer loop without belonging to its actor.
///
/// Whoever sends a small request from there, and takes in there what it brought, saves two ways between threads, which
/// cost more than the rest.
@safe final class LoopTasks: ArrivalExecutor {
    private let executor: LoopExecutor

    /// Makes it for a loop's executor, which it keeps alive.
    init(on executor: LoopExecutor) { self.executor = executor }

    func enqueue(_ job: consuming ExecutorJob) { executor.append(UnownedJob(job), of: self) }

    func whenIdle(_ body: @escaping @Sendable () -> Void) { executor.whenIdle(body) }
}
