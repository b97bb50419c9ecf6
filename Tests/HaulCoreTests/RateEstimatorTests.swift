import HaulCore
import Testing

@Suite struct RateEstimatorTests {
    @Test func knowsNothingAtFirst() {
        var rate = RateEstimator()
        #expect(rate.rate(at: .seconds(9)) == nil)
        rate.record(0, at: .zero)
        #expect(rate.rate(at: .milliseconds(100)) == nil)
        #expect(rate.timeLeft(5, at: .milliseconds(100)) == nil)
        #expect(rate.rate(at: .seconds(1)) == 0)
        #expect(rate.timeLeft(5, at: .seconds(1)) == nil)
    }

    @Test(arguments: [7, 100, 250, 1_000, 7_000])
    func measuresASteadyStream(interval: Int) throws {
        var rate = RateEstimator()
        for step in 0...(60_000 / interval) {
            rate.record(Int64(step * interval * 1_000), at: .milliseconds(step * interval))
        }
        let end = Duration.milliseconds(60_000 / interval * interval)
        let measured = try #require(rate.rate(at: end))
        #expect(abs(measured - 1_000_000) < 30_000)
        let left = try #require(rate.timeLeft(10_000_000, at: end))
        #expect(abs(left / .seconds(1) - 10) < 0.5)
    }

    @Test func fallsToZeroWhenNothingComes() {
        var rate = RateEstimator()
        for step in 0...20 { rate.record(Int64(step) * 1_000, at: .milliseconds(step * 500)) }
        var last = Double.infinity
        for second in 10...15 {
            let now = rate.rate(at: .seconds(second)) ?? -1
            #expect(now >= 0 && now <= last)
            last = now
        }
        #expect(last == 0)
        #expect(rate.timeLeft(1, at: .seconds(20)) == nil)
    }

    @Test func forgetsWhatIsOld() throws {
        var rate = RateEstimator()
        for step in 0...100 { rate.record(Int64(step) * 1_000_000, at: .milliseconds(step * 100)) }
        for step in 1...100 { rate.record(100_000_000 + Int64(step) * 100, at: .milliseconds(10_000 + step * 100)) }
        let measured = try #require(rate.rate(at: .seconds(20)))
        #expect(abs(measured - 1_000) < 50)
    }

    @Test func startsAgainAfterARestart() {
        var rate = RateEstimator()
        rate.record(0, at: .zero)
        rate.record(1_000, at: .seconds(1))
        rate.record(0, at: .seconds(2))
        #expect(rate.rate(at: .seconds(2)) == nil)
        rate.record(500, at: .seconds(3))
        #expect(rate.rate(at: .seconds(3)) == 500)
    }

    @Test func survivesOddNumbers() {
        var rate = RateEstimator(window: .zero)
        rate.record(0, at: .seconds(5))
        rate.record(.max, at: .seconds(4))
        #expect(rate.rate(at: .seconds(4)) == nil)
        #expect(rate.rate(at: .seconds(6)) != nil)
        #expect(RateEstimator().timeLeft(.max, at: .zero) == nil)
        var slow = RateEstimator()
        slow.record(0, at: .zero)
        slow.record(1, at: .seconds(4))
        #expect(slow.timeLeft(.max, at: .seconds(4)) == nil)
        #expect(slow.timeLeft(-5, at: .seconds(4)) == .zero)
    }
}
