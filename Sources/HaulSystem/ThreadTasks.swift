/// Lets tasks run on the thread of a `ThreadExecutor` without belonging to an actor.
///
/// The executor could serve as both itself. But then each step of a task counts as isolated to it, and each call of a
/// function that belongs to no actor is a switch through the thread's queue: dozens for a small file.
package final class ThreadTasks: TaskExecutor {
    private let executor: ThreadExecutor

    /// Makes it for a thread, which it keeps alive.
    package init(on executor: ThreadExecutor) { self.executor = executor }

    package func enqueue(_ job: consuming ExecutorJob) { executor.append(UnownedJob(job), of: self) }
}
