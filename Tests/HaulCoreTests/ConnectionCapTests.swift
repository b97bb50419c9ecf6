import Testing

@testable import HaulCore

/// What a host's refusals say about the number of connections.
@Suite struct ConnectionCapTests {
    @Test func refusalsBesideOthersLowerTheNumber() {
        var cap = ConnectionCap(limit: 16)
        cap.serves(4, now: .milliseconds(100))
        for alive in (4..<16).reversed() {
            #expect(cap.refused(alive: alive, because: "HTTP 503", now: .milliseconds(110)) == .milliseconds(110))
        }
        #expect(cap.current == 4)
        cap.grow(now: .seconds(11))
        #expect(cap.current == 5)
    }

    /// Whoever waits for more connections than there are hears why, once for each number.
    @Test func refusalsThatComeTogetherAreOnePieceOfNews() {
        var cap = ConnectionCap(limit: 16)
        #expect(cap.news() == nil)
        for alive in (4..<16).reversed() { _ = cap.refused(alive: alive, because: "HTTP 503", now: .seconds(1)) }
        let news = cap.news()
        #expect(news?.connections == 4 && news?.reason == "HTTP 503")
        // One more is tried now and then, and refused as before.
        cap.grow(now: .seconds(11))
        _ = cap.refused(alive: 4, because: "HTTP 503", now: .seconds(11))
        #expect(cap.news() == nil)
        _ = cap.refused(alive: 3, because: "HTTP 429", now: .seconds(31))
        #expect(cap.news()?.connections == 3)
    }

    /// It counts requests, or does not know yet that some connections have ended.
    @Test func aHostThatServedMoreAMomentAgoIsGivenAPause() {
        var cap = ConnectionCap(limit: 16)
        cap.serves(9, now: .milliseconds(700))
        // Two that were asked together have one pause.
        #expect(cap.refused(alive: 8, because: "HTTP 503", now: .milliseconds(760)) == .milliseconds(1010))
        #expect(cap.refused(alive: 2, because: "HTTP 503", now: .milliseconds(770)) == .milliseconds(1010))
        // Each pause in a row is longer, up to a second.
        #expect(cap.refused(alive: 0, because: "HTTP 503", now: .milliseconds(1010)) == .milliseconds(1510))
        #expect(cap.refused(alive: 0, because: "HTTP 503", now: .milliseconds(1520)) == .milliseconds(2520))
        #expect(cap.refused(alive: 0, because: "HTTP 503", now: .milliseconds(2600)) == .milliseconds(3600))
        #expect(cap.current == 16)
        // What it served long ago counts no more.
        #expect(cap.refused(alive: 2, because: "HTTP 503", now: .milliseconds(3710)) == .milliseconds(3710))
        #expect(cap.current == 2)
    }

    @Test func aPauseAfterLongPeaceIsShort() {
        var cap = ConnectionCap(limit: 16)
        for second in [10, 20, 30] {
            cap.serves(6, now: .seconds(second))
            #expect(
                cap.refused(alive: 5, because: "HTTP 503", now: .seconds(second)) == .seconds(second)
                    + .milliseconds(250))
        }
    }

    @Test(arguments: [60, 200, 600] as [Int64], [false, true])
    func aLimitOfRequestsASecondIsNoneOfConnections(_ megabytes: Int64, _ grows: Bool) {
        var weather = TransferSimulation.Weather()
        weather.requestsPerSecond = 10
        weather.rates = [5 << 20]
        var split = policy(16)
        split.growsConnections = grows
        var simulation = TransferSimulation(size: megabytes << 20, split: split, weather: weather, seed: 1)
        simulation.run()
        guard case .complete = simulation.outcome else {
            Issue.record("ended as \(String(describing: simulation.outcome))")
            return
        }
        let ideal = Double(megabytes) / 50
        #expect(simulation.seconds < ideal * 1.2 + 2, "\(simulation.seconds) of \(ideal)")
        #expect(simulation.refusals < 60)
    }
}
