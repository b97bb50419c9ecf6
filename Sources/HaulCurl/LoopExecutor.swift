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
        /// What is called when there is nothing else to do.
        var idle: [@Sendable () -> Void] = []
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

    /// Turns after which what waits for an idle moment is called all the same.
    private static let patience = 8
    /// Rounds of jobs, each of those that the one before has added, between two turns.
    private static let mostRounds = 64

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

    /// Calls something on the thread when there is nothing else to do, or after a few turns.
    func whenIdle(_ body: @escaping @Sendable () -> Void) {
        inbox.withLock {
            $0.idle.append(body)
            $0.wakeIfWaiting()
        }
    }

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
    ///   - wait: waits for sockets or the waker; or, if it may not, looks whether a socket is ready.
    ///   - end: ends transfers and closes the set; jobs that this starts still run.
    func run(perform: (Command) -> Void, turn: () -> Void, wait: (_ mayWait: Bool) -> Bool, end: () -> Void) {
        threadIdentity.store(Self.currentThread, ordering: .relaxed)
        var turns = 0
        while true {
            runPending(perform: perform)
            turn()
            turns += 1
            let next = inbox.withLock { inbox -> Next in
                let isBusy = !inbox.jobs.isEmpty || !inbox.commands.isEmpty
                if !inbox.idle.isEmpty {
                    if turns >= Self.patience || !isBusy && inbox.isStopping { return .tell }
                    return isBusy ? .work : .look
                }
                turns = 0
                if isBusy { return .work }
                if inbox.isStopping { return .end }
                inbox.isWaiting = true
                return .wait
            }
            switch next {
            case .work: continue
            case .look: if !wait(false) { turns = Self.patience }
            case .tell:
                turns = 0
                tellIdle()
            case .wait:
                _ = wait(true)
                inbox.withLock { $0.isWaiting = false }
            case .end:
                inbox.withLock { $0.waker = nil }
                end()
                runPending(perform: perform, rounds: .max)
                tellIdle()
                return
            }
        }
    }

    /// What is next: to go on, to see whether a socket is ready, to tell who waits for an idle moment, to wait, to end.
    private enum Next { case work, look, tell, wait, end }

    private func tellIdle() {
        let bodies = inbox.withLock { inbox in
            defer { inbox.idle.removeAll(keepingCapacity: true) }
            return inbox.idle
        }
        for body in bodies { body() }
    }

    /// Runs what is pending, and what that adds, but not for ever: sockets have their turn.
    private func runPending(perform: (Command) -> Void, rounds: Int = mostRounds) {
        for _ in 0..<rounds {
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
