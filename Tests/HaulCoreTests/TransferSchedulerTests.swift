import Testing

@testable import HaulCore

@Suite struct TransferSchedulerTests {
    private func run(
        size: Int64, connections: Int = 8, _ weather: TransferSimulation.Weather = .init(), seed: UInt64 = 1
    ) -> TransferSimulation {
        var simulation = TransferSimulation(size: size, split: policy(connections), weather: weather, seed: seed)
        simulation.run()
        return simulation
    }

    private func isComplete(_ simulation: TransferSimulation) -> Bool {
        if case .complete = simulation.outcome { return simulation.coversAll }
        return false
    }

    private func stream(
        size: Int64, connections: Int = 8, window: Int64 = 64 << 20, _ weather: TransferSimulation.Weather = .init(),
        seed: UInt64 = 1
    ) -> TransferSimulation {
        var split = policy(connections)
        split.window = window
        var simulation = TransferSimulation(size: size, split: split, weather: weather, seed: seed)
        simulation.run()
        return simulation
    }

    @Test(arguments: 0..<60) func nothingIsAskedForBeyondTheWindow(seed: UInt64) {
        var weather = TransferSimulation.Weather()
        weather.breaks = Int(seed % 3) * 5
        weather.silences = seed % 7 == 0 ? 1 : 0
        weather.refusals = Int(seed % 4) * 20
        weather.rates = [10 << 20, 5 << 20, 1 << 20, 20 << 20]
        weather.consumer = seed % 2 == 0 ? nil : 6 << 20
        let window: Int64 = [4 << 20, 16 << 20, 64 << 20][Int(seed % 3)]
        let size = Int64(100_000_000 + 1_000_003 * seed)
        let connections = [2, 8, 16][Int(seed / 3 % 3)]
        let simulation = stream(size: size, connections: connections, window: window, weather, seed: seed)
        #expect(isComplete(simulation), "\(String(describing: simulation.outcome))")
        // The first request is sent before anything is known; it is two mebibytes long.
        #expect(simulation.farthest <= window)
    }

    @Test func aWindowCostsNoTime() {
        let simulation = stream(size: 4 << 30)
        #expect(isComplete(simulation))
        let ideal = Double(4 << 30) / Double(8 * (10 << 20))
        // Each request waits a step for its answer.
        #expect(simulation.seconds < ideal * 1.15)
        #expect(simulation.received - (4 << 30) <= 4 << 20)
    }

    @Test func aSlowConnectionDoesNotHoldUpTheWindow() {
        var weather = TransferSimulation.Weather()
        weather.rates = [10 << 20, 200_000, 10 << 20]
        let simulation = stream(size: 1 << 30, connections: 8, weather)
        #expect(isComplete(simulation))
        let without = stream(size: 1 << 30, connections: 7)
        #expect(simulation.seconds < without.seconds * 1.5)
    }

    @Test func aSlowConsumerDecidesThePace() {
        var weather = TransferSimulation.Weather()
        weather.consumer = 4 << 20
        let simulation = stream(size: 256 << 20, weather)
        #expect(isComplete(simulation))
        #expect(simulation.received <= 260 << 20)
    }

    @Test(arguments: [1, 100_000, 2 << 20]) func smallFilesCostOneRequest(size: Int64) {
        let simulation = run(size: size)
        #expect(isComplete(simulation))
        #expect(simulation.requests == 1)
    }

    @Test func oneConnectionCostsOneRequest() {
        let simulation = run(size: 1 << 30, connections: 1)
        #expect(isComplete(simulation))
        #expect(simulation.requests == 1)
    }

    @Test func everyConnectionGetsOneShare() {
        let simulation = run(size: 1 << 30)
        #expect(isComplete(simulation))
        #expect(simulation.requests <= 8 + 1 + 12)
        #expect(simulation.received == 1 << 30)
        let ideal = Double(1 << 30) / Double(8 * (10 << 20))
        #expect(simulation.seconds < ideal * 1.1)
    }

    @Test func aCrawlingConnectionCostsLittle() {
        var weather = TransferSimulation.Weather()
        weather.rates = [2 << 20, 20_000, 2 << 20]
        let simulation = run(size: 64 << 20, connections: 4, weather)
        #expect(isComplete(simulation))
        let without = Double(64 << 20) / Double(3 * (2 << 20))
        #expect(simulation.seconds < without * 1.3)
        #expect(simulation.received - (64 << 20) <= 2 << 20)
    }

    /// How one of four connections holds up the others.
    enum Hold: CaseIterable, Sendable {
        case crawls, mutes, slowsDown, fallsSilent, firstCrawls, firstFallsSilent
    }

    @Test(arguments: Hold.allCases, [Int64(6 << 20), 20 << 20, 64 << 20])
    func oneBadConnectionCostsLittleOfAShortDownloadToo(hold: Hold, size: Int64) {
        for latency in [Int64(0), 4] { compare(hold, size: size, latency: latency) }
    }

    private func compare(_ hold: Hold, size: Int64, latency: Int64) {
        var weather = TransferSimulation.Weather()
        weather.latency = latency
        let rate: Int64 = 4 << 20
        weather.rates = [rate]
        weather.slowsAfter = 200_000
        switch hold {
        case .crawls: weather.rates = [rate, 20_000, rate]
        case .firstCrawls: weather.rates = [20_000, rate]
        case .mutes: weather.mute = [1]
        case .slowsDown: (weather.slowing, weather.slowRate) = ([1], 20_000)
        case .fallsSilent: weather.slowing = [1]
        case .firstFallsSilent: weather.slowing = [0]
        }
        let simulation = run(size: size, connections: 4, weather)
        #expect(isComplete(simulation))
        var fair = TransferSimulation.Weather()
        fair.latency = latency
        fair.rates = [rate]
        let without = run(size: size, connections: 3, fair)
        // Until it is known to be bad, time must pass: a few steps, and for a mute one the time of several answers.
        let found = 0.5 + Double(latency) * 0.05 + (hold == .mutes ? 0.25 + Double(latency) * 0.15 : 0)
        #expect(simulation.seconds <= max(without.seconds * 1.5, without.seconds + found), "\(without.seconds)")
        // Two pieces of less than two mebibytes, if they were raced for.
        #expect(simulation.received - size <= 4 << 20)
    }

    /// On slow connections the rest of the crawling one is much more than one of them brings in time.
    @Test func aCrawlingConnectionCostsLittleOfASlowTransfer() {
        var weather = TransferSimulation.Weather()
        weather.rates = [500_000, 2_000, 500_000]
        let simulation = run(size: 8_000_000, connections: 4, weather)
        #expect(isComplete(simulation))
        weather.rates = [500_000]
        let without = run(size: 8_000_000, connections: 4, weather)
        #expect(simulation.seconds <= without.seconds * 1.5, "\(simulation.seconds) and \(without.seconds)")
        #expect(simulation.received - 8_000_000 <= 2 << 20)
    }

    @Test func evenConnectionsAreNotRaced() {
        for seed in UInt64(0)..<40 {
            var weather = TransferSimulation.Weather()
            let rate: Int64 = 4 << 20
            weather.rates = (0..<4).map { rate - Int64($0) * (rate / 8) }
            weather.latency = Int64(seed % 5)
            let size = Int64(20_000_000 + 700_001 * seed)
            let simulation = run(size: size, connections: 4, weather, seed: seed)
            #expect(isComplete(simulation))
            #expect(simulation.received == size, "seed \(seed)")
        }
    }

    @Test func aHostThatAllowsFourIsAskedForFewMore() {
        var weather = TransferSimulation.Weather()
        weather.allowed = 4
        let simulation = run(size: 1 << 30, connections: 16, weather)
        #expect(isComplete(simulation))
        #expect(simulation.refusals <= 12 + 4)
        let ideal = Double(1 << 30) / Double(4 * (10 << 20))
        #expect(simulation.seconds < ideal * 1.1)
    }

    @Test func everyConnectionBreaksSoon() {
        var weather = TransferSimulation.Weather()
        weather.breaksAfter = 700_000
        let simulation = run(size: 64 << 20, weather)
        #expect(isComplete(simulation))
        #expect(Double(simulation.received) <= 1.05 * Double(64 << 20))
        // Whoever brings bytes is asked again at once: the waits do not grow.
        #expect(simulation.seconds < 8, "\(simulation.seconds)")
    }

    @Test func aDeadServerSpendsTheBudget() {
        var weather = TransferSimulation.Weather()
        weather.refusals = 1000
        let simulation = run(size: 64 << 20, weather)
        guard case .failed(.refused(.status(503, _))) = simulation.outcome else {
            Issue.record("ended as \(String(describing: simulation.outcome))")
            return
        }
        #expect(simulation.requests == 6)
    }

    @Test func silentConnectionsAreReplaced() {
        var weather = TransferSimulation.Weather()
        weather.silences = 20
        let simulation = run(size: 64 << 20, weather)
        #expect(isComplete(simulation))
    }

    @Test(arguments: 0..<200) func endsInCoverageOrNamedFailure(seed: Int) {
        var random = CoreRandom(seed: UInt64(seed))
        var weather = TransferSimulation.Weather()
        weather.breaks = [0, 5, 50, 300].randomElement(using: &random) ?? 0
        weather.refusals = [0, 50, 400].randomElement(using: &random) ?? 0
        weather.silences = [0, 0, 5].randomElement(using: &random) ?? 0
        weather.allowed = [1, 2, 5, 100].randomElement(using: &random) ?? 1
        weather.rates = (0..<4).map { _ in Int64.random(in: 100_000...(20 << 20), using: &random) }
        let size = Int64.random(in: 1...(96 << 20), using: &random)
        let connections = Int.random(in: 1...16, using: &random)
        var simulation = TransferSimulation(
            size: size, split: policy(connections), weather: weather, seed: UInt64(seed))
        simulation.run()
        switch simulation.outcome {
        case .complete: #expect(simulation.coversAll, "seed \(seed)")
        case .failed: break
        case nil: Issue.record("never ended, seed \(seed)")
        }
    }

    @Test(arguments: [(nil, 16), (Int64(10 << 20), 4), (60 << 20, 8)])
    func theNumberOfConnectionsIsFound(total: Int64?, expected: Int) {
        var split = policy(16)
        split.growsConnections = true
        var weather = TransferSimulation.Weather()
        weather.total = total
        var simulation = TransferSimulation(size: 4 << 30, split: split, weather: weather, seed: 1)
        simulation.run()
        #expect(isComplete(simulation))
        #expect(simulation.scheduler.growth?.allowed == expected)
        let best = total.map { Double(4 << 30) / Double($0) } ?? Double(4 << 30) / Double(16 * (10 << 20))
        #expect(simulation.seconds < best * 1.1)
    }

    @Test func aChangedResourceRestartsTwiceAndThenFails() {
        var scheduler = TransferScheduler(split: policy(1), retry: RetryPolicy(limit: 5), seed: 1)
        var actions = scheduler.start(asking: ByteRange(0, .max), now: .zero)
        for round in 1...3 {
            guard case .fetch(let order) = actions.first else {
                Issue.record("round \(round) sends nothing")
                return
            }
            actions = scheduler.ended(
                order.slot, FlightEnd(position: 0, cause: .refused(.changed(reason: "tag", nil))), now: .zero)
            if round < 3 {
                guard case .startOver = actions.first else {
                    Issue.record("round \(round) does not start over")
                    return
                }
                actions = scheduler.start(asking: ByteRange(0, .max), now: .zero)
            }
        }
        guard case .fail(.changed) = actions.first else {
            Issue.record("no failure but \(actions)")
            return
        }
    }

    @Test func anExpiredRedirectIsResolvedOnceForAll() {
        var scheduler = TransferScheduler(split: policy(4), retry: RetryPolicy(limit: 5), seed: 1)
        let first = scheduler.start(asking: ByteRange(0, 2 << 20), now: .zero)
        #expect(first.count == 1)
        let opened = scheduler.open(
            .init(size: 64 << 20, answer: ByteRange(0, 2 << 20), finished: ByteRangeSet(), acceptsRanges: true),
            now: .zero)
        #expect(opened.count == 3)
        var sent: [FetchOrder] = []
        for slot in 0..<4 {
            let actions = scheduler.ended(
                slot,
                FlightEnd(
                    position: 0, cause: .refused(.status(403, retryAfter: nil)), wasRedirected: true), now: .seconds(1))
            for case .fetch(let order) in actions { sent.append(order) }
        }
        #expect(sent.count == 1)
        #expect(sent.first?.resolvesAnew == true)
        // The others start when the resolved address has answered.
        scheduler.observe(
            .init(position: sent.first?.range.lowerBound ?? 0, isConnected: true, isAnswered: true),
            on: sent.first?.slot ?? 0, now: .seconds(2))
        let others = scheduler.tick(now: .seconds(2))
        #expect(others.count == 3)
    }

    @Test(arguments: [0, 1, 5]) func aWholeBodyInPlaceOfTheRestBeginsAnew(limit: Int) throws {
        var scheduler = TransferScheduler(split: policy(4), retry: RetryPolicy(limit: limit), seed: 1)
        _ = scheduler.start(asking: ByteRange(0, 2 << 20), now: .zero)
        _ = scheduler.open(
            .init(size: nil, answer: ByteRange(0, .max), finished: ByteRangeSet(), acceptsRanges: false), now: .zero)
        let broke = FlightEnd(position: 65_536, cause: .broke(.brokenInBody(detail: "cut")))
        var actions = scheduler.ended(0, broke, now: .seconds(1))
        let head = ResponseHead(status: 200, fields: HTTPFields([HTTPField("Transfer-Encoding", "chunked")]))
        let expectation = AnswerExpectation(requested: ByteRange(65_536, .max), size: nil, comparesValidators: false)
        guard case .refuse(let refusal) = AnswerCheck.judge(head, against: expectation, at: 0) else {
            Issue.record("a whole body was taken for the rest")
            return
        }
        for second in 1..<10 where !actions.contains(where: { if case .startOver = $0 { true } else { false } }) {
            #expect(!actions.contains { if case .fail = $0 { true } else { false } })
            actions += scheduler.tick(now: .seconds(second * 60))
            for case .fetch(let order) in actions {
                actions = scheduler.ended(
                    order.slot, FlightEnd(position: order.range.lowerBound, cause: .refused(refusal)),
                    now: .seconds(second * 60))
            }
        }
        #expect(actions.contains { if case .startOver = $0 { true } else { false } }, "\(actions)")
        #expect(!scheduler.asksForRanges)
    }
}
