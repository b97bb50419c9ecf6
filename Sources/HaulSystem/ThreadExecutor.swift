import CSystem
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A serial executor that is one thread of its own: for actors whose work blocks on the disk.
///
/// Every job that waits or runs holds a reference to the executor, so an actor on it needs to hold one only itself. When
/// the last reference goes, with no job left by then, the thread ends by itself; nobody waits for it, so the last
/// reference may go on the thread itself. The thread takes no signals.
@safe package final class ThreadExecutor: SerialExecutor, TaskExecutor {
    private let queue: JobQueue

    /// Processors that there are now: sysconf(3).
    package static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Starts a thread.
    ///
    /// - Parameter name: what debuggers and `top` show; 15 bytes of it.
    package init(name: String) {
        queue = JobQueue(name: name)
        queue.start()
    }

    deinit { queue.stop() }

    package func enqueue(_ job: consuming ExecutorJob) {
        queue.append(UnownedJob(job), .executor(self))
    }

    /// Adds a job of tasks that are bound to the thread and to no actor.
    func append(_ job: UnownedJob, of tasks: ThreadTasks) { queue.append(job, .tasks(tasks)) }

    /// Whether the caller runs on the thread.
    package var isCurrent: Bool { queue.isCurrentThread }

    package func checkIsolated() {
        precondition(queue.isCurrentThread, "not on the executor's thread")
    }

    package func isIsolatingCurrentContext() -> Bool? { queue.isCurrentThread }
}
