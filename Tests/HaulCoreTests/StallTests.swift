import Testing

@testable import HaulCore

/// Connections that bring nothing, too little, or nothing for a while.
@Suite struct StallTests {
    private func opened(connections: Int = 2) -> TransferScheduler {
        var policy = SplitPolicy()
        policy.connections = connections
        var scheduler = TransferScheduler(split: policy, retry: RetryPolicy(limit: 5), seed: 1)
        _ = scheduler.start(asking: ByteRange(0, 2 << 20), now: .zero)
        _ = scheduler.open(
            .init(size: 64 << 20, answer: ByteRange(0, 2 << 20), finished: ByteRangeSet(), acceptsRanges: true),
            now: .zero)
        return scheduler
    }

    private func aborts(_ actions: [TransferScheduler.Action]) -> [Int] {
        actions.compactMap { if case .abort(let slot) = $0 { slot } else { nil } }
    }

    /// Lets time go by in steps while each connection brings `rate` bytes a second.
    ///
    /// - Returns: when the first connection was given up, nil if none was.
    private func firstAbort(
        _ scheduler: inout TransferScheduler, rate: Int64, from start: Int, to end: Int
    ) -> Duration? {
        for tenth in start * 10..<end * 10 {
            let now = Duration.milliseconds(tenth * 100)
            for (slot, flight) in scheduler.flights {
                let brought = tenth % 10 == 0 ? rate : 0
                scheduler.observe(
                    .init(position: flight.position + brought, isConnected: true, isAnswered: true), on: slot, now: now)
            }
            if !aborts(scheduler.tick(now: now)).isEmpty { return now }
        }
        return nil
    }

    @Test func silenceIsBornForTheStallTimeAndNoLonger() throws {
        var scheduler = opened()
        let moment = try #require(firstAbort(&scheduler, rate: 0, from: 0, to: 60))
        #expect((Duration.seconds(15)...Duration.seconds(16)).contains(moment))
    }

    @Test func aTrickleIsNoLife() throws {
        var scheduler = opened()
        let moment = try #require(firstAbort(&scheduler, rate: 100, from: 0, to: 60))
        #expect((Duration.seconds(15)...Duration.seconds(31)).contains(moment))
    }

    @Test func aSlowLinkIsLife() {
        var scheduler = opened()
        #expect(firstAbort(&scheduler, rate: 1000, from: 0, to: 120) == nil)
    }

    @Test func timeAsleepIsNoSilence() throws {
        var scheduler = opened()
        #expect(firstAbort(&scheduler, rate: 1000, from: 0, to: 10) == nil)
        // An hour later every connection is dead, which only their silence from now on shows.
        let moment = try #require(firstAbort(&scheduler, rate: 0, from: 3610, to: 3700))
        #expect((Duration.seconds(3624)...Duration.seconds(3626)).contains(moment))
    }

    @Test func untilItStandsAConnectionIsTheTransportsMatter() {
        var scheduler = opened()
        for second in 0..<100 {
            for slot in scheduler.flights.keys {
                let position = scheduler.flights[slot]?.position ?? 0
                scheduler.observe(
                    .init(position: position, isConnected: false, isAnswered: false), on: slot, now: .seconds(second))
            }
            #expect(aborts(scheduler.tick(now: .seconds(second))).isEmpty)
        }
    }
}

/// However many connections crawl, at most two pieces are fetched twice.
@Suite struct RaceTests {
    /// A large file's crawlers are taken over from; those of a small one have too little left for that.
    @Test(arguments: 1...6, [12 << 20, 64 << 20] as [Int64])
    func twoPiecesAtMostAreFetchedTwice(crawlers: Int, size: Int64) {
        var split = SplitPolicy()
        split.connections = 8
        var weather = TransferSimulation.Weather()
        weather.rates = [4 << 20] + Array(repeating: 20_000, count: crawlers) + [4 << 20]
        var simulation = TransferSimulation(size: size, split: split, weather: weather, seed: 1)
        simulation.run()
        guard case .complete = simulation.outcome else {
            Issue.record("ended as \(String(describing: simulation.outcome))")
            return
        }
        #expect(simulation.coversAll)
        #expect(simulation.scheduler.races <= 2)
        #expect(simulation.received - size <= 4 << 20)
    }
}
