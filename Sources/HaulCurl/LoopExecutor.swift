import HaulCore
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Runs an actor's jobs on the thread that waits for its sockets.
///
/// Besides jobs it takes commands, which must not wait for a place in the cooperative pool as a new task would.
@safe final class LoopExecutor: SerialExecutor {
    /// Something to do that nobody waits for.
    enum Command: Sendable {
        /// End this transfer as cancelled.
        case cancel(TransferID)
        /// Let this slot's transfer go on.
        case resume(Slot)
        /// End what the slot carries.
        case cancelSlot(Slot)
    }

    private struct Inbox {
        /// Each a step of the actor, or of a task outside of actors.
        var jobs: [(UnownedJob, LoopTasks?)] = []
        var commands: [Command] = []
        var waker: MultiHandle.Waker?
        var isWaiting = false
        var isStopping = false

        /// Ends the wait if there is one; whoever comes second need not.
        mutating func wakeIfWaiting() {
            guard isWaiting else { return }
            isWaiting = false
            waker?.wake()
        }
    }

    private let inbox: Mutex<Inbox>
    private let threadIdentity = Atomic<UInt>(0)

    /// Makes an executor whose wait is ended by `waker`.
    init(waker: MultiHandle.Waker?) {
        inbox = Mutex(Inbox(waker: waker))
    }

    // MARK: - From any thread

    func enqueue(_ job: consuming ExecutorJob) {
        append(UnownedJob(job), of: nil)
    }

    /// Adds a job.
    ///
    /// - Parameters:
    ///   - job: the job.
    ///   - tasks: what it was given to, if it is a step of a task that is bound to the thread and to no actor.
    func append(_ job: UnownedJob, of tasks: LoopTasks?) {
        inbox.withLock {
            $0.jobs.append((job, tasks))
            $0.wakeIfWaiting()
        }
    }

    /// Whether the caller runs on the thread.
    var isCurrent: Bool { Self.currentThread == threadIdentity.load(ordering: .relaxed) }

    /// Adds a command, which is forgotten if the thread has ended.
    func post(_ command: Command) {
        inbox.withLock {
            $0.commands.append(command)
            $0.wakeIfWaiting()
        }
    }

    /// From now on another waker ends the wait; on the thread only.
    func change(to waker: MultiHandle.Waker?) { inbox.withLock { $0.waker = waker } }

    /// Asks the thread to end once it has nothing left to run.
    func stop() {
        inbox.withLock {
            $0.isStopping = true
            $0.wakeIfWaiting()
        }
    }

    func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    func checkIsolated() {
        precondition(isCurrent, "called outside the transfer loop's thread")
    }

    // MARK: - On the thread

    /// The life of the thread: run jobs and commands, take a turn, wait; until stopped.
    ///
    /// - Parameters:
    ///   - perform: does one command.
    ///   - turn: moves transfers.
    ///   - wait: waits for sockets or the waker.
    ///   - end: ends transfers and closes the set; jobs that this starts still run.
    func run(perform: (Command) -> Void, turn: () -> Void, wait: () -> Void, end: () -> Void) {
        threadIdentity.store(Self.currentThread, ordering: .relaxed)
        while true {
            runPending(perform: perform)
            turn()
            let next = inbox.withLock { inbox -> Next in
                guard inbox.jobs.isEmpty, inbox.commands.isEmpty else { return .work }
                if inbox.isStopping { return .end }
                inbox.isWaiting = true
                return .wait
            }
            switch next {
            case .work: continue
            case .wait:
                wait()
                inbox.withLock { $0.isWaiting = false }
            case .end:
                inbox.withLock { $0.waker = nil }
                end()
                runPending(perform: perform)
                return
            }
        }
    }

    private enum Next { case work, wait, end }

    private func runPending(perform: (Command) -> Void) {
        while true {
            let (jobs, commands) = inbox.withLock { inbox in
                defer {
                    inbox.jobs.removeAll(keepingCapacity: false)
                    inbox.commands.removeAll(keepingCapacity: false)
                }
                return (inbox.jobs, inbox.commands)
            }
            guard !jobs.isEmpty || !commands.isEmpty else { return }
            for (job, tasks) in jobs {
                if let tasks {
                    unsafe job.runSynchronously(on: tasks.asUnownedTaskExecutor())
                } else {
                    unsafe job.runSynchronously(on: asUnownedSerialExecutor())
                }
            }
            for command in commands { perform(command) }
        }
    }

    private static var currentThread: UInt {
        #if canImport(Glibc)
            UInt(pthread_self())
        #else
            UInt(bitPattern: pthread_self())
        #endif
    }
}
