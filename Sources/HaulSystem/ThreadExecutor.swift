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

    /// Starts a thread.
    ///
    /// - Parameter name: what debuggers and `top` show; 15 bytes of it.
    package init(name: String) {
        queue = JobQueue(name: name)
        queue.start()
    }

    deinit { queue.stop() }

    package func enqueue(_ job: consuming ExecutorJob) {
        queue.append(UnownedJob(job), self)
    }

    package func checkIsolated() {
        precondition(queue.isCurrentThread, "not on the executor's thread")
    }

    package func isIsolatingCurrentContext() -> Bool? { queue.isCurrentThread }
}
