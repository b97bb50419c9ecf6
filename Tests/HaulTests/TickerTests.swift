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

    private final class Listener: Sendable {}

    @Test
    func oneBeatWakesAllWhoWait() async {
        let beats = Beats()
        let ticker = Ticker(beats.time)
        let listeners = (0..<50).map { _ in Listener() }
        let box = OutcomeBox<Int>()
        for (index, listener) in listeners.enumerated() { ticker.tell(listener) { box.send(index) } }
        #expect(ticker.waiting == 50)
        await beats.pass()
        var heard: Set<Int> = []
        for _ in listeners { heard.insert(await box.next().outcome) }
        #expect(heard.count == 50)
        // The beat, and the rest before it sees that nobody waits any more.
        #expect((1...2).contains(beats.sleeps.value))
    }

    @Test
    func itRestsWhenNobodyWaitsAndBeginsAnew() async {
        let beats = Beats()
        let ticker = Ticker(beats.time)
        let listener = Listener()
        let box = OutcomeBox<Int>()
        for round in 1...3 {
            ticker.tell(listener) { box.send(round) }
            await beats.pass()
            #expect(await box.next().outcome == round)
            // The next beat finds nobody.
            await beats.pass()
            while ticker.isBeating { await Task.yield() }
            #expect(beats.sleeps.value == Int64(2 * round))
        }
    }

    @Test
    func whoeverIsForgottenIsNotTold() async {
        let beats = Beats()
        let ticker = Ticker(beats.time)
        let (kept, forgotten) = (Listener(), Listener())
        let box = OutcomeBox<String>()
        ticker.tell(forgotten) { box.send("forgotten") }
        ticker.tell(kept) { box.send("kept") }
        ticker.forget(forgotten)
        #expect(ticker.waiting == 1)
        await beats.pass()
        #expect(await box.next().outcome == "kept")
        await beats.pass()
        while ticker.isBeating { await Task.yield() }
        box.send("last")
        #expect(await box.next().outcome == "last")
    }
}
