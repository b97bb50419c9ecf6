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
