import HaulCore
import HaulTestSupport
import Synchronization
import Testing

@testable import Haul

struct OutcomeQueueTests {
    /// Has an idle moment when the test says so.
    private final class Moments: ArrivalExecutor {
        private let bodies = Mutex<[@Sendable () -> Void]>([])

        var count: Int { bodies.withLock { $0.count } }

        func enqueue(_ job: consuming ExecutorJob) {}

        func whenIdle(_ body: @escaping @Sendable () -> Void) { bodies.withLock { $0.append(body) } }

        func come() {
            let bodies = bodies.withLock { bodies in
                defer { bodies = [] }
                return bodies
            }
            for body in bodies { body() }
        }
    }

    private func outcome(_ index: Int) -> DownloadOutcome {
        DownloadOutcome(
            index: index, request: DownloadRequest("u", to: "f"), result: .failure(.cancelledKeeping),
            isDuplicate: false)
    }

    /// Reads everything, and counts what it has read.
    private func reader(_ queue: OutcomeQueue, _ read: Counter) -> Task<[Int], Never> {
        Task {
            var indices: [Int] = []
            while let outcome = await queue.next() {
                indices.append(outcome.index)
                read.add(1)
            }
            return indices
        }
    }

    private func waits(for queue: OutcomeQueue) async { while !queue.hasReader { await Task.yield() } }

    @Test("A reader that waits is told in an idle moment, of all at once")
    func later() async {
        let (queue, moments, read) = (OutcomeQueue(), Moments(), Counter())
        let task = reader(queue, read)
        for round in 0..<3 {
            await waits(for: queue)
            for index in 0..<3 { queue.send(outcome(round * 3 + index), from: moments) }
            #expect(moments.count == 1 && queue.hasReader && read.value == Int64(round * 3))
            moments.come()
        }
        await waits(for: queue)
        // Nobody's thread: at once.
        queue.send(outcome(9))
        await waits(for: queue)
        queue.finish()
        #expect(await task.value == Array(0..<10))
    }

    @Test("A crowd does not wait for the moment")
    func crowd() async {
        let (queue, moments) = (OutcomeQueue(), Moments())
        let task = reader(queue, Counter())
        await waits(for: queue)
        for index in 0..<16 { queue.send(outcome(index), from: moments) }
        await waits(for: queue)
        // The moment that was asked for serves the next.
        queue.send(outcome(16), from: moments)
        moments.come()
        await waits(for: queue)
        queue.finish()
        #expect(await task.value == Array(0..<17))
    }

    @Test("The end is told behind what waits for its moment")
    func end() async {
        let (queue, moments) = (OutcomeQueue(), Moments())
        let task = reader(queue, Counter())
        await waits(for: queue)
        for index in 0..<3 { queue.send(outcome(index), from: moments) }
        queue.finish()
        #expect(await task.value == [0, 1, 2])
        moments.come()
    }
}
