import HaulCore
import HaulTestSupport
import Testing

@testable import HaulCurl

@Suite(.inTurn) struct PacerTests {
    @Test func bytesOfOneRateComeOneAfterTheOther() {
        let start = ContinuousClock.now
        var pacer = RatePacer(rate: 1000, now: start)
        #expect(pacer.reserve(500, now: start) == nil)
        #expect(pacer.reserve(500, now: start) == start + .milliseconds(500))
        #expect(pacer.reserve(500, now: start) == start + .seconds(1))
        // Whoever comes late does not lose its turn to the clock.
        #expect(pacer.reserve(500, now: start + .milliseconds(1550)) == nil)
        #expect(pacer.reserve(1, now: start + .milliseconds(1550)) == start + .seconds(2))
    }

    @Test func silenceIsMadeUpForBriefly() {
        let start = ContinuousClock.now
        var pacer = RatePacer(rate: 1000, now: start)
        let later = start + .seconds(100)
        #expect(pacer.reserve(100, now: later) == nil)
        #expect(pacer.reserve(100, now: later) == nil)
        #expect(pacer.reserve(100, now: later) == later + .milliseconds(100))
    }

    @Test func aChangeHoldsAtOnce() {
        let pacer = SharedPacer()
        #expect(!pacer.isLimited && pacer.reserve(1 << 40, now: .now) == nil)
        pacer.rate = 10
        #expect(pacer.isLimited && pacer.rate == 10)
        let now = ContinuousClock.now
        _ = pacer.reserve(100, now: now)
        #expect(pacer.reserve(1, now: now).map { $0 > now + .seconds(9) } == true)
        pacer.rate = nil
        #expect(!pacer.isLimited && pacer.reserve(1, now: now) == nil)
    }
}
