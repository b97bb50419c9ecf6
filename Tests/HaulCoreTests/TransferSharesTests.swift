import Testing

@testable import HaulCore

/// How much each connection is asked for.
@Suite struct TransferSharesTests {
    /// A scheduler whose first request, of 2 MiB, is under way, and what its answer opens.
    private func begun(
        _ split: SplitPolicy, size: Int64
    ) -> (scheduler: TransferScheduler, opening: TransferScheduler.Opening) {
        let first = ByteRange(0, 2 << 20)
        var scheduler = TransferScheduler(split: split, retry: RetryPolicy(limit: 5), seed: 1)
        _ = scheduler.start(asking: first, now: .zero)
        return (scheduler, .init(size: size, answer: first, finished: ByteRangeSet(), acceptsRanges: true))
    }

    /// Nearby, work is dealt out in pieces that become smaller; far away each has its share at once.
    @Test(arguments: [1, 100]) func whereAskingCostsNothingPiecesAreSmaller(milliseconds: Int) throws {
        var (scheduler, opening) = begun(policy(4), size: 402 << 20)
        var now = Duration.milliseconds(milliseconds)
        var actions = scheduler.open(opening, now: now)
        var lengths: [Int64] = []
        for _ in 0..<200 {
            lengths += actions.compactMap { if case .fetch(let order) = $0 { order.range.length >> 20 } else { nil } }
            guard let flight = scheduler.flights.values.min(by: { $0.range.lowerBound < $1.range.lowerBound }) else {
                break
            }
            now += .milliseconds(1)
            actions = scheduler.ended(
                flight.slot, FlightEnd(position: flight.range.upperBound, cause: .complete), now: now)
        }
        #expect(scheduler.finished.total == 402 << 20)
        if milliseconds == 1 {
            #expect(lengths.prefix(3) == [50, 43, 38])
            #expect(lengths.suffix(4).allSatisfy { $0 <= 8 } && lengths.count < 40, "\(lengths)")
        } else {
            #expect(lengths == [100, 100, 100, 98])
        }
    }

    /// As long as more connections may be tried, nobody gets what is meant for them.
    @Test func whoeverIsStillToComeHasAShare() throws {
        var split = policy(16)
        split.growsConnections = true
        var (scheduler, opening) = begun(split, size: 322 << 20)
        let first = scheduler.open(opening, now: .milliseconds(100))
        scheduler.admitted = scheduler.usefulConnections
        let next = scheduler.ended(0, FlightEnd(position: 2 << 20, cause: .complete), now: .milliseconds(200))
        let lengths = (first + next).compactMap {
            if case .fetch(let order) = $0 { order.range.length >> 20 } else { nil }
        }
        #expect(lengths == Array(repeating: 20, count: 8))
    }

    /// Others were so quick that their rates were never measured: the one that crawls is no measure of itself.
    @Test func whoCrawlsAloneAtTheEndIsRaced() throws {
        var (scheduler, opening) = begun(policy(2, minimum: 256 << 10), size: 2_500_000)
        var actions = scheduler.open(opening, now: .milliseconds(1))
        let slow = try #require(scheduler.flights.values.first { $0.slot != 0 })
        actions += scheduler.ended(0, FlightEnd(position: 2 << 20, cause: .complete), now: .milliseconds(100))
        var position = slow.range.lowerBound
        var fetched = 0
        for step in 2..<30 {
            let now = Duration.milliseconds(step * 100)
            position += 5_000
            scheduler.observe(.init(position: position, isConnected: true, isAnswered: true), on: slow.slot, now: now)
            fetched += scheduler.tick(now: now).count { if case .fetch = $0 { true } else { false } }
        }
        #expect(fetched > 0)
    }

    /// A server that answered once at once, and late from then on, is asked for large parts.
    @Test func whereAnswersComeLatePiecesAreLarge() throws {
        var split = policy(16)
        split.growsConnections = true
        var (scheduler, opening) = begun(split, size: 200 << 20)
        _ = scheduler.open(opening, now: .milliseconds(1))
        var requests = scheduler.flights.count
        var now = Duration.milliseconds(1)
        while let flight = scheduler.flights.values.min(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            now += .milliseconds(75)
            let end = flight.range.upperBound
            scheduler.observe(
                .init(position: flight.position, isConnected: true, isAnswered: false), on: flight.slot,
                now: now - .milliseconds(1))
            scheduler.observe(.init(position: end, isConnected: true, isAnswered: true), on: flight.slot, now: now)
            scheduler.judgeGrowth(now: now)
            let actions = scheduler.ended(flight.slot, FlightEnd(position: end, cause: .complete), now: now)
            requests += actions.count { if case .fetch = $0 { true } else { false } }
        }
        #expect(scheduler.finished.total == 200 << 20)
        #expect(requests <= 24, "\(requests)")
    }
}
