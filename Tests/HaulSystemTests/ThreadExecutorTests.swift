import HaulSystem
import Synchronization
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Thread executor")
struct ThreadExecutorTests {
    private actor Counter {
        private let thread: ThreadExecutor
        private(set) var value = 0

        init(_ thread: ThreadExecutor) { self.thread = thread }

        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

        func add() -> UInt {
            value += 1
            return UInt(bitPattern: pthread_self())
        }

        nonisolated func addIsolated() { assumeIsolated { $0.value += 1 } }
    }

    @Test("All jobs run, in one thread that is not the caller's")
    func oneThread() async {
        let counter = Counter(ThreadExecutor(name: "haul.test"))
        let threads = await withTaskGroup(of: UInt.self, returning: Set<UInt>.self) { group in
            for _ in 0..<1000 { group.addTask { await counter.add() } }
            return await group.reduce(into: []) { $0.insert($1) }
        }
        #expect(threads.count == 1)
        #expect(await counter.value == 1000)
    }

    /// A task on the thread is not part of an actor, and calls between such functions are no jobs.
    @Test("Functions without an actor call each other without a way through the queue")
    func callsWithoutSwitches() async {
        let thread = ThreadExecutor(name: "haul.test")
        let tasks = ThreadTasks(on: thread)
        let order = Order()
        await withTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: tasks) {
                // Queued behind this one: it runs as soon as this one goes through the queue.
                Task(executorPreference: tasks) { order.add("other") }
                #expect(thread.isCurrent)
                for _ in 0..<3 { await Self.step(order) }
                #expect(thread.isCurrent)
            }
        }
        #expect(order.names.prefix(3) == ["step", "step", "step"])
    }

    private final class Order: Sendable {
        private let state = Mutex<[String]>([])
        var names: [String] { state.withLock { $0 } }
        func add(_ name: String) { state.withLock { $0.append(name) } }
    }

    @concurrent private static func step(_ order: Order) async { order.add("step") }

    @Test("The thread knows itself")
    func isolation() async {
        let thread = ThreadExecutor(name: "haul.test")
        #expect(thread.isIsolatingCurrentContext() == false)
        let counter = Counter(thread)
        await Asserting(thread).check(counter)
        #expect(await counter.value == 1)
    }

    private actor Asserting {
        private let thread: ThreadExecutor

        init(_ thread: ThreadExecutor) { self.thread = thread }

        nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

        func check(_ counter: Counter) {
            thread.checkIsolated()
            counter.addIsolated()
        }
    }

    @Test("Executors come and go, also when the last reference dies on the thread")
    func comeAndGo() async {
        for _ in 0..<200 {
            let counter = Counter(ThreadExecutor(name: "haul.test"))
            // Nobody waits: actor and executor die where the job ends.
            Task { _ = await counter.add() }
            _ = await counter.add()
        }
    }
}

extension UInt {
    #if !canImport(Darwin)
        fileprivate init(bitPattern thread: pthread_t) { self = thread }
    #endif
}
