/// Finds out how many connections pay: starts with a few and doubles them while that raises the total rate.
///
/// A step is judged when all its connections have answered and bytes have come for a while. A clear gain is seen at once, so
/// that a file that many connections bring in a second does not wait for them; that there is none is only believed after
/// a longer time. A step that did not pay is taken back, since connections that bring nothing only cost the server, and is
/// tried again much later: a download of hours sees other weather, and a burst at the beginning looks like a rate.
package struct ConnectionGrowth: Sendable {
    private enum Phase {
        /// The number of connections is tried.
        case trying
        /// It was found; the next step is tried at the given time.
        case resting(until: Duration)
        /// The rate before the next step is measured.
        case comparing
        /// All that are allowed pay.
        case settled
    }

    /// Most connections ever.
    package let limit: Int
    /// Connections that may be at work now.
    package private(set) var allowed: Int

    private var phase = Phase.trying
    /// Rate with the number before, in bytes a second.
    private var lastRate = 0.0
    private var lastAllowed: Int
    /// Start of the running measurement: time, and bytes that had come by then.
    private var since: (time: Duration, received: Int64)?
    /// The measurement of `lastRate`, which goes on until more than these connections bring something.
    private var last: (answered: Int, since: (time: Duration, received: Int64))?
    /// Whether a glance has seen a rate that only a whole period can judge.
    private var isFast = false
    private var patience = ConnectionGrowth.leastPatience

    /// Connections at the start: few enough for any server, enough to see a gain soon.
    private static let first = 4
    /// The same where answers take as long as `farAway`: there each step costs what a part of the file does, and nearly
    /// always pays, since a window a round trip is all that one connection gets.
    private static let firstFarAway = 8
    private static let farAway: Duration = .milliseconds(30)
    /// Least length of a measurement: a few turns of the network's thread.
    private static let glance: Duration = .milliseconds(25)
    /// Length of a measurement that is believed whatever it says: long against scheduling.
    private static let period: Duration = .milliseconds(200)
    /// A step pays when it raises the rate by this factor over a whole period.
    private static let gain = 1.15
    /// The same in a glance: doubling under a cap for each connection gives 2, and chance less than this.
    private static let clearGain = 1.4
    /// From here on, in bytes a second, a machine is as likely the limit as the network, and glances see its scheduler.
    private static let fast = Double(512 << 20)
    /// Time until a step that did not pay is tried again; it doubles each time.
    private static let leastPatience: Duration = .seconds(2)
    /// A download that ends within so many times of what an answer takes does not grow.
    private static let worthAsking = 2
    /// Longest time between two tries.
    private static let longestPatience: Duration = .seconds(120)

    /// Makes it for at most `limit` connections.
    package init(limit: Int) {
        self.limit = limit
        allowed = min(Self.first, limit)
        lastAllowed = min(Self.first, limit)
        if limit <= Self.first { phase = .settled }
    }

    /// The first answer took `time`: how many connections are tried first depends on it.
    ///
    /// - Parameters:
    ///   - time: time from the request to its answer.
    ///   - received: bytes that had come before.
    ///   - now: time on the engine's clock.
    package mutating func begin(answeredAfter time: Duration, received: Int64, now: Duration) {
        guard case .trying = phase, time >= Self.farAway else { return }
        allowed = min(Self.firstFarAway, limit)
        last = (1, (now, received))
    }

    /// Time until the next look; nil while the number is found.
    package var timeToLook: Duration? {
        switch phase {
        case .settled, .resting: nil
        case .trying, .comparing: isFast ? .milliseconds(50) : .milliseconds(5)
        }
    }

    /// Time went by.
    ///
    /// - Parameters:
    ///   - answered: connections that bring bytes.
    ///   - received: bytes that have come in all.
    ///   - missing: bytes that are still to come.
    ///   - quickestAnswer: shortest time from a request to its answer. On a new connection that is two round trips, or
    ///     more; what a window lets through comes in bursts, one for each round trip.
    ///   - now: time on the engine's clock.
    package mutating func look(
        answered: Int, received: Int64, missing: Int64, quickestAnswer: Duration, now: Duration
    ) {
        switch phase {
        case .settled: return
        case .resting(let until):
            guard now >= until else { return }
            phase = .comparing
        case .trying, .comparing: break
        }
        if let last {
            let isAlone = answered <= last.answered
            if now - last.since.time >= Self.glance, isAlone || lastRate == 0 {
                lastRate = Self.rate(since: last.since, received, now)
            }
            if isAlone { return }
        }
        last = nil
        // One may be between two requests. If more are, nothing waits for them: then there is nothing to grow for.
        guard answered >= allowed - 1 else { return since = nil }
        guard let start = since else { return since = (now, received) }
        let rate = Self.rate(since: start, received, now)
        // Where nothing comes at all, more connections are no remedy.
        guard rate > 0 else { return }
        // Whoever is asked now would answer when nearly everything is here.
        guard Double(missing) > rate * (quickestAnswer * Self.worthAsking).seconds else { return }
        judge(rate, over: now - start.time, quickestAnswer, now)
    }

    private static func rate(since start: (time: Duration, received: Int64), _ received: Int64, _ now: Duration)
        -> Double
    {
        Double(received - start.received) / max((now - start.time).seconds, 1e-9)
    }

    private mutating func judge(_ rate: Double, over time: Duration, _ quickestAnswer: Duration, _ now: Duration) {
        let isLong = time >= max(Self.period, quickestAnswer)
        // The first step of a server nearby is compared with nothing.
        let glance = lastRate == 0 ? Self.glance : max(Self.glance, quickestAnswer / 2)
        if time >= Self.glance { isFast = rate > Self.fast }
        guard isLong || (time >= glance && !isFast) else { return }
        if case .comparing = phase {
            if isLong { step(from: rate) }
        } else if rate >= lastRate * (isLong ? Self.gain : Self.clearGain) {
            patience = Self.leastPatience
            if allowed < limit { step(from: rate) } else { phase = .settled }
        } else if isLong {
            allowed = lastAllowed
            since = nil
            phase = .resting(until: now + patience)
            patience = min(patience * 2, Self.longestPatience)
        }
    }

    /// Tries twice as many connections as bring `rate`.
    private mutating func step(from rate: Double) {
        phase = .trying
        last = since.map { (allowed, $0) }
        since = nil
        lastRate = rate
        lastAllowed = allowed
        allowed = min(allowed * 2, limit)
    }
}
