import HaulCore

/// Drives a scheduler without network: an imaginary server with a size, rates and random accidents.
struct TransferSimulation {
    /// What may happen to a request at each step.
    struct Weather {
        /// Chance in a thousand that a running connection breaks within a step.
        var breaks = 0
        /// Chance in a thousand that a request is answered with 503.
        var refusals = 0
        /// Chance in a thousand that a connection falls silent for ever.
        var silences = 0
        /// Connections that the server allows; more get a 503.
        var allowed = Int.max
        /// Requests that the server answers within a second; more get a 503.
        var requestsPerSecond = Int.max
        /// Bytes a second of each connection, by slot; the last counts for all beyond.
        var rates: [Int64] = [10 << 20]
        /// Slots that slow down to `slowRate` once they have brought `slowsAfter` bytes in one request.
        var slowing: Set<Int> = []
        var slowsAfter: Int64 = 0
        var slowRate: Int64 = 0
        /// Slots whose first request is never answered.
        var mute: Set<Int> = []
        /// Steps that pass before an answer.
        var latency: Int64 = 0
        /// Whether every connection breaks after this many bytes.
        var breaksAfter: Int64?
        /// Bytes a second of all connections together.
        var total: Int64?
        /// Bytes a second that the consumer of an ordered stream takes; nil takes what there is.
        var consumer: Int64?
    }

    private struct Running {
        var order: FetchOrder
        var position: Int64
        var limit: Int64
        var isAnswered = false
        var isSilent = false
        var isAborted = false
        var startedAt: Int64
    }

    let size: Int64
    var weather: Weather
    var random: CoreRandom
    var scheduler: TransferScheduler
    private var running: [Int: Running] = [:]
    private var covered = ByteRangeSet()
    /// The steps in which requests were answered.
    private var answersAt: [Int] = []
    /// Steps of 50 ms so far.
    private(set) var steps = 0
    /// Bytes that came, those that came twice included.
    private(set) var received: Int64 = 0
    private(set) var requests = 0
    private(set) var refusals = 0
    private(set) var outcome: Outcome?
    /// Bytes that the consumer has taken.
    private(set) var front: Int64 = 0
    /// The farthest that any request was ahead of the consumer when it was sent.
    private(set) var farthest: Int64 = 0

    /// How it ended.
    enum Outcome {
        case complete
        case failed(TransferFailure)
    }

    init(size: Int64, split: SplitPolicy, weather: Weather, seed: UInt64) {
        self.size = size
        self.weather = weather
        random = CoreRandom(seed: seed)
        scheduler = TransferScheduler(split: split, retry: RetryPolicy(limit: 5), seed: seed)
    }

    private var now: Duration { .milliseconds(50 * steps) }
    /// Seconds that the imaginary clock shows.
    var seconds: Double { Double(steps) * 0.05 }
    /// Whether all that was received is all there is.
    var coversAll: Bool { covered.contains(ByteRange(0, size)) }

    /// Runs to the end, or for at most `limit` steps.
    mutating func run(atMost limit: Int = 400_000) {
        carryOut(scheduler.start(asking: ByteRange(0, scheduler.probeLength), now: now))
        while outcome == nil, steps < limit { step() }
    }

    private mutating func step() {
        steps += 1
        for slot in running.keys.sorted() { advance(slot) }
        observe()
        carryOut(scheduler.tick(now: now))
        if scheduler.horizon < .max { consume() }
    }

    /// Takes bytes from the front, as far as they are there.
    private mutating func consume() {
        var onHand = covered
        for flight in running.values { onHand.insert(ByteRange(flight.order.range.lowerBound, flight.position)) }
        front = min(onHand.front(from: 0), front + (weather.consumer.map { $0 / 20 } ?? .max / 2))
        observe()
        carryOut(scheduler.advance(to: front, now: now))
    }

    private mutating func observe() {
        for (slot, flight) in running {
            scheduler.observe(
                .init(position: flight.position, isConnected: true, isAnswered: flight.isAnswered), on: slot, now: now)
        }
        scheduler.judgeGrowth(now: now)
    }

    private mutating func chance(_ perThousand: Int) -> Bool {
        perThousand > 0 && Int.random(in: 0..<1000, using: &random) < perThousand
    }

    private mutating func advance(_ slot: Int) {
        guard var flight = running[slot] else { return }
        if flight.isAborted { return end(slot, .aborted) }
        if flight.isSilent || Int64(steps) - flight.startedAt <= weather.latency { return }
        if !flight.isAnswered, weather.mute.contains(slot) {
            running[slot]?.isSilent = true
            weather.mute.remove(slot)
            return
        }
        if !flight.isAnswered {
            let answered = running.values.count { $0.isAnswered }
            let isHasty = answersAt.count { $0 > steps - 20 } >= weather.requestsPerSecond
            if answered >= weather.allowed || isHasty || chance(weather.refusals) {
                refusals += 1
                return end(slot, .refused(.status(503, retryAfter: nil)))
            }
            answersAt.append(steps)
            flight.isAnswered = true
            running[slot] = flight
            if flight.order.isProbe { open(slot) }
            return
        }
        if chance(weather.silences) { running[slot]?.isSilent = true }
        let answered = Int64(max(1, running.values.count { $0.isAnswered }))
        var rate = min(weather.rates[min(slot, weather.rates.count - 1)], weather.total.map { $0 / answered } ?? .max)
        if weather.slowing.contains(slot), flight.position - flight.order.range.lowerBound >= weather.slowsAfter {
            rate = weather.slowRate
        }
        let end = min(flight.limit, size)
        let step = min(rate / 20, end - flight.position)
        running[slot]?.position += max(0, step)
        received += max(0, step)
        let position = flight.position + max(0, step)
        if position >= end { return self.end(slot, .complete) }
        if chance(weather.breaks)
            || (weather.breaksAfter.map { position - flight.order.range.lowerBound >= $0 } ?? false)
        {
            self.end(slot, .broke(.brokenInBody(detail: "reset")))
        }
    }

    private mutating func open(_ slot: Int) {
        guard let order = running[slot]?.order else { return }
        let answer = order.range.clamped(to: ByteRange(0, size))
        running[slot]?.limit = answer.upperBound
        observe()
        carryOut(
            scheduler.open(
                .init(size: size, answer: answer, finished: ByteRangeSet(), acceptsRanges: true), now: now))
    }

    private mutating func end(_ slot: Int, _ cause: FlightEnd.Cause) {
        observe()
        guard let flight = running.removeValue(forKey: slot) else { return }
        covered.insert(ByteRange(flight.order.range.lowerBound, flight.position))
        carryOut(scheduler.ended(slot, FlightEnd(position: flight.position, cause: cause), now: now))
    }

    private mutating func carryOut(_ actions: [TransferScheduler.Action]) {
        for action in actions {
            switch action {
            case .fetch(let order):
                requests += 1
                farthest = max(farthest, min(order.range.upperBound, size) - front)
                running[order.slot] = Running(
                    order: order, position: order.range.lowerBound, limit: order.range.upperBound,
                    startedAt: Int64(steps))
            case .shorten(let slot, let offset): running[slot]?.limit = offset
            case .abort(let slot): running[slot]?.isAborted = true
            case .verify: outcome = .complete
            case .startOver:
                covered = ByteRangeSet()
                carryOut(scheduler.start(asking: ByteRange(0, scheduler.probeLength), now: now))
            case .retrying, .capped: break
            case .fail(let failure): outcome = .failed(failure)
            }
        }
    }
}

/// A policy of so many connections.
func policy(_ connections: Int, minimum: Int64 = 1 << 20) -> SplitPolicy {
    var policy = SplitPolicy()
    policy.connections = connections
    policy.minimumSplit = minimum
    return policy
}
