import Testing

@testable import HaulCore

/// Hosts that serve one connection at a time, and wait for the next request on the one that they serve.
@Suite struct OneByOneTests {
    @Test(arguments: [2, 8, 16])
    func theConnectionThatIsServedFetchesWhatOthersWaitFor(_ connections: Int) throws {
        let size: Int64 = 50_000_000
        var policy = SplitPolicy()
        policy.connections = connections
        var scheduler = TransferScheduler(split: policy, retry: RetryPolicy(limit: 5), seed: 1)
        _ = scheduler.start(asking: ByteRange(0, 2 << 20), now: .zero)
        _ = scheduler.open(
            .init(size: size, answer: ByteRange(0, 2 << 20), finished: ByteRangeSet(), acceptsRanges: true), now: .zero)
        var now = Duration.zero
        var served: Int64 = 0
        // Who has the connection; the next request gets it when that one has ended.
        var holder: Int? = 0
        func follow(_ actions: [TransferScheduler.Action]) {
            for case .fetch(let order) in actions where holder == nil && !order.needsFreshConnection {
                holder = order.slot
            }
        }
        while now < .seconds(14), scheduler.phase == .transferring {
            now += .milliseconds(100)
            for slot in scheduler.flights.keys.sorted() {
                guard let flight = scheduler.flights[slot] else { continue }
                let isServed = slot == holder
                // Quicker than a rate could be measured.
                let position = isServed ? flight.range.upperBound : flight.position
                served += position - flight.position
                scheduler.observe(
                    .init(position: position, isConnected: true, isAnswered: isServed), on: slot, now: now)
                if isServed {
                    holder = nil
                    follow(scheduler.ended(slot, FlightEnd(position: position, cause: .complete), now: now))
                } else if flight.abortReason != nil {
                    follow(scheduler.ended(slot, FlightEnd(position: flight.position, cause: .aborted), now: now))
                }
            }
            follow(scheduler.tick(now: now))
        }
        #expect(scheduler.phase == .verifying)
        #expect(served == size)
        #expect(now < .seconds(10))
    }
}
