import Testing

@testable import HaulCore

/// Answers that look like an end or like progress, and are hardly either.
@Suite struct SchedulerMishapTests {
    private func opened(size: Int64?, connections: Int) -> TransferScheduler {
        var policy = SplitPolicy()
        policy.connections = connections
        var scheduler = TransferScheduler(split: policy, retry: RetryPolicy(limit: 5), seed: 1)
        _ = scheduler.start(asking: ByteRange(0, 2 << 20), now: .zero)
        _ = scheduler.open(
            .init(size: size, answer: ByteRange(0, 2 << 20), finished: ByteRangeSet(), acceptsRanges: true),
            now: .zero)
        return scheduler
    }

    private func orders(_ actions: [TransferScheduler.Action]) -> [FetchOrder] {
        actions.compactMap { if case .fetch(let order) = $0 { order } else { nil } }
    }

    private func ends(_ actions: [TransferScheduler.Action]) -> Bool {
        actions.contains { if case .verify = $0 { true } else { false } }
    }

    @Test func anEndWithoutATotalIsAskedForTwice() throws {
        var scheduler = opened(size: nil, connections: 1)
        let next = orders(scheduler.ended(0, FlightEnd(position: 2 << 20, cause: .complete), now: .seconds(1)))
        let order = try #require(next.first)
        let end = FlightEnd(position: 2 << 20, cause: .refused(.unsatisfiable(size: nil)))
        let once = scheduler.ended(order.slot, end, now: .seconds(1))
        #expect(!ends(once))
        #expect(scheduler.size == nil)
        let again = try #require(orders(scheduler.tick(now: .seconds(3))).first)
        #expect(ends(scheduler.ended(again.slot, end, now: .seconds(3))))
        #expect(scheduler.size == 2 << 20)
    }

    /// Whether a 403 at the original address ends the download, asked for so long after the last request that brought bytes.
    @Test(arguments: [(Duration.milliseconds(900), false), (.milliseconds(1100), true)])
    func aRefusalBehindADeliveryIsTheHostsAnswerToOneConnectionTooMany(_ wait: Duration, _ isFinal: Bool) throws {
        var scheduler = opened(size: 64 << 20, connections: 1)
        let next = orders(scheduler.ended(0, FlightEnd(position: 2 << 20, cause: .complete), now: .seconds(1)))
        let first = try #require(next.first)
        let position = first.range.lowerBound
        let busy = FlightEnd(position: position, cause: .refused(.status(503, retryAfter: nil)))
        _ = scheduler.ended(first.slot, busy, now: .seconds(1))
        let order = try #require(orders(scheduler.tick(now: .seconds(1) + wait)).first)
        let refused = FlightEnd(position: position, cause: .refused(.status(403, retryAfter: nil)))
        let actions = scheduler.ended(order.slot, refused, now: .seconds(2) + wait)
        let ended = actions.contains { if case .fail = $0 { true } else { false } }
        #expect(ended == isFinal)
        guard !isFinal else { return }
        let again = try #require(orders(scheduler.tick(now: .seconds(20))).first)
        let last = scheduler.ended(again.slot, refused, now: .seconds(20))
        let gaveUp = last.contains { if case .fail = $0 { true } else { false } }
        #expect(gaveUp)
    }

    private func gaveUp(_ actions: [TransferScheduler.Action]) -> Bool {
        actions.contains { if case .fail = $0 { true } else { false } }
    }

    /// A host that lets in few new connections refuses one range again and again, and lets another through in between.
    @Test func aRefusedRangeSpendsNoBudgetWhileOthersBringBytes() throws {
        var scheduler = opened(size: 64 << 20, connections: 2)
        var now = Duration.seconds(1)
        _ = scheduler.ended(0, FlightEnd(position: 2 << 20, cause: .complete), now: now)
        let victim = try #require(scheduler.flights.values.map(\.range.lowerBound).max())
        let status = AnswerRefusal.status(503, retryAfter: nil)
        var (refusals, inRow, deliveries, isOver) = (0, 0, 300, false)
        for _ in 0..<2000 where !isOver {
            guard let flight = scheduler.flights.values.min(by: { $0.startedAt < $1.startedAt }) else {
                now += .seconds(1)
                isOver = gaveUp(scheduler.tick(now: now))
                continue
            }
            let start = flight.range.lowerBound
            let brings = start != victim && deliveries > 0
            if brings { deliveries -= 1 }
            let end =
                brings
                ? FlightEnd(position: start + 1000, cause: .broke(.brokenInBody(detail: "cut")))
                : FlightEnd(position: start, cause: .refused(status))
            if start == victim { refusals += 1 }
            inRow = brings ? 0 : inRow + 1
            now += .milliseconds(150)
            isOver = gaveUp(scheduler.ended(flight.slot, end, now: now))
        }
        #expect(isOver)
        #expect(refusals > 6)
        #expect(inRow >= 6)
    }

    /// One of them is always on its way when the other fails.
    @Test func twoHopelessRangesDoNotKeepEachOtherGoing() throws {
        var scheduler = opened(size: 64 << 20, connections: 2)
        var now = Duration.seconds(1)
        _ = scheduler.ended(0, FlightEnd(position: 2 << 20, cause: .complete), now: now)
        var isOver = false
        for _ in 0..<100 where !isOver {
            // Longer than any wait: who failed before is asked again in the same step, unless all wait for the host.
            now += .seconds(40)
            guard let flight = scheduler.flights.values.min(by: { $0.startedAt < $1.startedAt }) else {
                isOver = gaveUp(scheduler.tick(now: now))
                continue
            }
            let end = FlightEnd(position: flight.range.lowerBound, cause: .refused(.status(503, retryAfter: nil)))
            isOver = gaveUp(scheduler.ended(flight.slot, end, now: now))
        }
        #expect(isOver)
    }

    /// A whole file that is never whole: each time it begins anew, and that is no progress.
    @Test func aStreamThatEndsEarlyEndsInTheBudget() throws {
        var scheduler = TransferScheduler(split: SplitPolicy(), retry: RetryPolicy(limit: 3), seed: 1)
        scheduler.asksForRanges = false
        var actions = scheduler.start(asking: ByteRange(0, .max), now: .zero)
        var (now, rounds, isOver) = (Duration.zero, 0, false)
        while !isOver, rounds < 100 {
            guard let order = orders(actions).first else {
                let restarts = actions.contains { if case .startOver = $0 { true } else { false } }
                now += .seconds(60)
                actions = restarts ? scheduler.start(asking: ByteRange(0, .max), now: now) : scheduler.tick(now: now)
                rounds += 1
                continue
            }
            let answer = ByteRange(order.range.lowerBound, 1000)
            _ = scheduler.open(
                TransferScheduler.Opening(size: nil, answer: answer, finished: ByteRangeSet(), acceptsRanges: false),
                now: now)
            actions = scheduler.ended(order.slot, FlightEnd(position: 1000, cause: .complete), now: now)
            isOver = gaveUp(actions)
            rounds += 1
        }
        #expect(isOver)
    }

    /// What was refused beside a connection is not asked for all at once when that one has ended.
    @Test func whoeverRefusesTheOnlyConnectionIsAskedOnceAtATime() throws {
        var scheduler = opened(size: 64 << 20, connections: 4)
        let refused = FlightEnd.Cause.refused(.status(503, retryAfter: nil))
        var now = Duration.seconds(1)
        for _ in 0..<20 {
            guard let other = scheduler.flights.values.first(where: { $0.slot != 0 }) else { break }
            _ = scheduler.ended(other.slot, FlightEnd(position: other.range.lowerBound, cause: refused), now: now)
        }
        try #require(scheduler.flights.keys.elementsEqual([0]))
        let last = try #require(scheduler.flights[0]).range.upperBound
        now += .milliseconds(10)
        let next = orders(scheduler.ended(0, FlightEnd(position: last, cause: .complete), now: now))
        #expect(next.count == 1, "the host has just delivered, and is not made to wait for")
        let order = try #require(next.first)
        let end = FlightEnd(position: order.range.lowerBound, cause: refused)
        #expect(orders(scheduler.ended(order.slot, end, now: now)).isEmpty)
        #expect(orders(scheduler.tick(now: now + .milliseconds(50))).isEmpty)
        // One refusal since the last delivery: the shortest wait.
        #expect(!orders(scheduler.tick(now: now + .milliseconds(250))).isEmpty)
    }

    /// A host that takes its time to refuse had not seen the end of others when it was asked.
    @Test func aLateRefusalIsJudgedByWhenItWasAsked() throws {
        var scheduler = opened(size: 64 << 20, connections: 2)
        let refused = FlightEnd.Cause.refused(.status(403, retryAfter: nil))
        for slot in 0...1 {
            let end = try #require(scheduler.flights[slot]).range.upperBound
            _ = scheduler.ended(slot, FlightEnd(position: end, cause: .complete), now: .seconds(1))
        }
        let asked = scheduler.flights.values.sorted { $0.slot < $1.slot }
        try #require(asked.count == 2)
        for flight in asked {
            let end = FlightEnd(position: flight.range.lowerBound, cause: refused)
            #expect(!gaveUp(scheduler.ended(flight.slot, end, now: .seconds(5))))
        }
        // Nobody is left whom it could have counted: now it means it.
        var isOver = false
        for order in orders(scheduler.tick(now: .seconds(30))) {
            let end = FlightEnd(position: order.range.lowerBound, cause: refused)
            isOver = gaveUp(scheduler.ended(order.slot, end, now: .seconds(31)))
        }
        #expect(isOver)
    }

    /// An interface that never served is a mistake; one that did may come back.
    @Test(arguments: [true, false]) func anInterfaceThatHasServedIsWaitedFor(_ hasServed: Bool) throws {
        let gone = FlightEnd.Cause.broke(.noInterface(name: "tun9", detail: ""))
        var scheduler = opened(size: 64 << 20, connections: 1)
        var order = FetchOrder?.none
        if hasServed {
            let next = scheduler.ended(0, FlightEnd(position: 2 << 20, cause: .complete), now: .seconds(1))
            order = orders(next).first
        } else {
            scheduler = TransferScheduler(split: SplitPolicy(), retry: RetryPolicy(limit: 5), seed: 1)
            order = orders(scheduler.start(asking: ByteRange(0, 2 << 20), now: .zero)).first
        }
        let flight = try #require(order)
        let end = FlightEnd(position: flight.range.lowerBound, cause: gone)
        let actions = scheduler.ended(flight.slot, end, now: .seconds(2))
        let retries = actions.contains { if case .retrying = $0 { true } else { false } }
        let fails = actions.contains { if case .fail = $0 { true } else { false } }
        #expect(retries == hasServed && fails == !hasServed)
    }

    @Test func oneUnsatisfiedRangeThrowsNothingAway() {
        var scheduler = opened(size: 64 << 20, connections: 4)
        let actions = scheduler.ended(
            1, FlightEnd(position: 2 << 20, cause: .refused(.unsatisfiable(size: 64 << 20))), now: .seconds(1))
        let aborts = actions.contains { if case .abort = $0 { true } else { false } }
        #expect(!aborts)
        #expect(scheduler.isTransferring)
    }

    /// An answer with all of a file of 64 MiB, in place of a range.
    private func wholeBody() throws -> AnswerRefusal {
        let head = ResponseHead(status: 200, fields: HTTPFields([HTTPField("Content-Length", "\(64 << 20)")]))
        let expectation = AnswerExpectation(requested: ByteRange(4 << 20, 8 << 20), size: 64 << 20)
        guard case .refuse(let refusal) = AnswerCheck.judge(head, against: expectation, at: 0) else {
            throw Unexpected()
        }
        return refusal
    }

    private struct Unexpected: Error {}

    @Test func aServerThatServesNoRangesAnyMoreIsNotAskedByEveryWorker() throws {
        var scheduler = opened(size: 64 << 20, connections: 8)
        let refusal = try wholeBody()
        var requests = 0
        for slot in 1...3 {
            let range = try #require(scheduler.flights[slot]).range
            let end = FlightEnd(position: range.lowerBound, cause: .refused(refusal))
            requests += orders(scheduler.ended(slot, end, now: .milliseconds(100 * slot))).count
        }
        #expect(!scheduler.asksForRanges && !scheduler.isTransferring)
        #expect(requests <= 3)
    }

    @Test func aNodeThatServesNoRangesThrowsNothingAway() throws {
        var scheduler = opened(size: 64 << 20, connections: 8)
        let refusal = try wholeBody()
        for round in 0..<6 {
            let slot = 1 + round
            let range = try #require(scheduler.flights[slot]).range
            let now = Duration.milliseconds(100 * (round + 1))
            _ = scheduler.ended(slot, FlightEnd(position: range.lowerBound, cause: .refused(refusal)), now: now)
            // Another answers as it should.
            let good = scheduler.flights.values.first { !$0.isAnswered }
            if let good {
                scheduler.observe(
                    .init(position: good.range.lowerBound + 1, isConnected: true, isAnswered: true), on: good.slot,
                    now: now)
            }
        }
        #expect(scheduler.asksForRanges && scheduler.isTransferring)
    }

    @Test(arguments: [429, 503]) func aWaitThatTheServerAsksForHoldsAllWorkers(status: Int) throws {
        var scheduler = opened(size: 64 << 20, connections: 4)
        let asked = Duration.seconds(30)
        let position = try #require(scheduler.flights[1]).range.lowerBound
        let first = scheduler.ended(
            1, FlightEnd(position: position, cause: .refused(.status(status, retryAfter: asked))), now: .seconds(1))
        #expect(orders(first).isEmpty)
        // Another comes to its end meanwhile, and must not go on to the next piece.
        let end = try #require(scheduler.flights[2]).range.upperBound
        #expect(orders(scheduler.ended(2, FlightEnd(position: end, cause: .complete), now: .seconds(2))).isEmpty)
        for second in 3..<31 { #expect(orders(scheduler.tick(now: .seconds(second))).isEmpty, "\(second)") }
        #expect(!orders(scheduler.tick(now: .seconds(40))).isEmpty)
    }

    @Test func aByteAtATimeIsNoStormOfRequests() throws {
        var scheduler = opened(size: 2 << 20, connections: 1)
        var requests = 0
        var position: Int64 = 0
        var slot: Int? = 0
        for step in 0..<1000 {
            let now = Duration.milliseconds(step * 10)
            if let flying = slot {
                position += 1
                let actions = scheduler.ended(flying, FlightEnd(position: position, cause: .complete), now: now)
                slot = orders(actions).first?.slot
            } else {
                slot = orders(scheduler.tick(now: now)).first?.slot
            }
            requests += slot == nil ? 0 : 1
        }
        #expect((10...60).contains(requests))
    }

    /// Each may take as long as an answer may.
    @Test(arguments: [true, false]) func redirectsAreSignsOfLife(_ follows: Bool) {
        var scheduler = TransferScheduler(split: SplitPolicy(), retry: RetryPolicy(limit: 5), seed: 1)
        _ = scheduler.start(asking: ByteRange(0, 2 << 20), now: .zero)
        // Ticks that are further apart mean that the machine slept.
        let step = scheduler.timing.stall / 8
        var aborts = 0
        for tick in 0..<40 {
            let now = step * tick
            let sighting = TransferScheduler.Sighting(
                position: 0, isConnected: true, isAnswered: false, hops: follows ? tick / 6 : 0)
            scheduler.observe(sighting, on: 0, now: now)
            aborts += scheduler.tick(now: now).count { if case .abort = $0 { true } else { false } }
        }
        #expect((aborts > 0) == !follows)
    }
}
