import HaulCore
import HaulTestSupport
import Synchronization
import Testing

@testable import Haul

struct TickerTests {
    /// Time that passes when it is told to.
    private final class Beats: Sendable {
        let sleeps = Counter()
        private let state = Mutex<CheckedContinuation<Void, Never>?>(nil)

        var time: TimeSource {
            TimeSource(now: { .zero }) { _ in
                await withCheckedContinuation { continuation in
                    self.state.withLock { $0 = continuation }
                    self.sleeps.add(1)
                }
            }
        }

        /// Waits until somebody sleeps, and ends that.
        func pass() async {
            while true {
                if let sleeper = state.withLock({ $0.take() }) { return sleeper.resume() }
                await Task.yield()
            }
        }
    }

    @Test
    func oneBeatWakesAllWhoWait() async {
        let beats = Beats()
        let ticker = Ticker(beats.time)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { await ticker.wait() } }
            while ticker.waiting < 50 { await Task.yield() }
            await beats.pass()
            await group.waitForAll()
        }
        // The beat, and the rest before it sees that nobody waits any more.
        #expect((1...2).contains(beats.sleeps.value))
    }

    @Test
    func itRestsWhenNobodyWaitsAndBeginsAnew() async {
        let beats = Beats()
        let ticker = Ticker(beats.time)
        for round in 1...3 {
            async let waited: Void = ticker.wait()
            while ticker.waiting < 1 { await Task.yield() }
            await beats.pass()
            await waited
            // The next beat finds nobody.
            await beats.pass()
            while ticker.isBeating { await Task.yield() }
            #expect(beats.sleeps.value == Int64(2 * round))
        }
    }

    @Test
    func cancelledWaitsEndAtOnce() async {
        let ticker = Ticker(Beats().time)
        let early = Task { await ticker.wait() }
        early.cancel()
        await early.value
        let late = Task { await ticker.wait() }
        while ticker.waiting < 1 { await Task.yield() }
        late.cancel()
        await late.value
        #expect(ticker.waiting == 0)
    }
}
