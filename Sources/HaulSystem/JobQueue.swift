import CSystem
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The jobs of a `ThreadExecutor`, and the thread that runs them.
///
/// Unchecked, because the condition variable needs an address of its own: `jobs` and `isStopping` are touched under
/// `mutex` only, and nothing else changes after `init`.
@safe final class JobQueue: @unchecked Sendable {
    private let name: String
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    /// How a job is run; holds what it was given to until it has run.
    enum Runner {
        /// As a step of an actor on the thread.
        case executor(ThreadExecutor)
        /// As a step of a task outside of actors.
        case tasks(ThreadTasks)
    }

    private var jobs: [(UnownedJob, Runner)] = []
    private var isStopping = false
    /// Whether the thread waits, or is about to.
    private var isWaiting = false
    private let thread = Atomic<UInt>(0)

    init(name: String) {
        self.name = name
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Whether the caller runs on the thread.
    var isCurrentThread: Bool { thread.load(ordering: .acquiring) == currentThreadIdentity() }

    /// Starts the thread, which holds this object until it ends.
    func start() {
        // Signals are for the program's own threads: block them before the thread inherits the mask.
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }

        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        defer { unsafe pthread_attr_destroy(&attributes) }
        let argument = unsafe Unmanaged.passRetained(self).toOpaque()
        #if canImport(Darwin)
            var identity: pthread_t?
        #else
            var identity = pthread_t()
        #endif
        let result = unsafe pthread_create(&identity, &attributes, { unsafe JobQueue.main($0) }, argument)
        // Without a thread no job would ever run, and there is no place to report it to.
        precondition(result == 0, "no thread: \(Syscalls.text(of: result))")
    }

    /// Adds a job.
    func append(_ job: UnownedJob, _ runner: Runner) {
        unsafe pthread_mutex_lock(mutex)
        jobs.append((job, runner))
        let wakes = isWaiting
        isWaiting = false
        unsafe pthread_mutex_unlock(mutex)
        // Behind the lock, or the thread would wake up only to wait for it.
        if wakes { unsafe pthread_cond_signal(condition) }
    }

    /// Lets the thread end when no job is left.
    func stop() {
        unsafe pthread_mutex_lock(mutex)
        isStopping = true
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    #if canImport(Darwin)
        private static func main(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
            unsafe Unmanaged<JobQueue>.fromOpaque(argument).takeRetainedValue().run()
            return nil
        }
    #else
        private static func main(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let argument = unsafe argument else { return nil }
            unsafe Unmanaged<JobQueue>.fromOpaque(argument).takeRetainedValue().run()
            return nil
        }
    #endif

    private func run() {
        thread.store(currentThreadIdentity(), ordering: .releasing)
        unsafe haul_name_thread(name)
        var batch: [(UnownedJob, Runner)] = []
        while takeJobs(into: &batch) {
            for (job, runner) in batch {
                switch runner {
                case .executor(let executor):
                    unsafe job.runSynchronously(
                        isolatedTo: executor.asUnownedSerialExecutor(), taskExecutor: executor.asUnownedTaskExecutor())
                case .tasks(let tasks): unsafe job.runSynchronously(on: tasks.asUnownedTaskExecutor())
                }
            }
            batch.removeAll(keepingCapacity: true)
        }
    }

    /// Waits for jobs and exchanges them for the empty `batch`; false when the thread is to end.
    private func takeJobs(into batch: inout [(UnownedJob, Runner)]) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while jobs.isEmpty {
            if isStopping { return false }
            isWaiting = true
            unsafe pthread_cond_wait(condition, mutex)
        }
        isWaiting = false
        swap(&jobs, &batch)
        return true
    }
}
