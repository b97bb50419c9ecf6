/// How many connections a host allows, learned from its refusals.
package struct ConnectionCap: Hashable, Sendable {
    /// Most connections that the user allows.
    package let limit: Int
    /// Most connections that are tried now.
    package private(set) var current: Int
    /// When one more may be tried, nil as long as nothing was refused.
    package private(set) var growsAt: Duration?
    private var patience: Duration = .seconds(10)
    /// Connections that were served at once, the most of the last moments, and when.
    private var served = 0
    private var servedAt = Duration.zero
    /// How long nobody is asked after a refusal that the number does not explain, and until when.
    private var pause = Self.shortestPause
    private var pausedUntil: Duration?
    /// Fewest connections that anybody was told of, and why there are fewer now.
    private var told: Int
    private var reason: String?

    /// How long it counts that so many were served at once.
    private static let memory: Duration = .seconds(3)
    private static let shortestPause: Duration = .milliseconds(250)
    private static let longestPause: Duration = .seconds(1)
    /// Longest time between two tries of one more connection.
    private static let longestPatience: Duration = .seconds(320)

    /// Makes a cap at what the user allows.
    package init(limit: Int) {
        self.limit = limit
        current = limit
        told = limit
    }

    /// Whether the host refused any.
    package var hasRefused: Bool { growsAt != nil || pausedUntil != nil }

    /// The host serves `count` connections at once.
    package mutating func serves(_ count: Int, now: Duration) {
        if count >= served || now - servedAt > Self.memory { (served, servedAt) = (count, now) }
    }

    /// The host refused a connection while `alive` others lived.
    ///
    /// Refusals of connections that were opened at the same time lower the number once each; the time until one more is
    /// tried doubles with each refused try, so that a long download asks a strict host only a few times. A host that
    /// served more a moment ago does not mind the number: it counts requests, or has not noticed that some have ended.
    ///
    /// - Parameters:
    ///   - alive: requests under way beside the one that was refused.
    ///   - reason: what the host said, or did.
    ///   - now: time on the engine's clock.
    /// - Returns: when the host may be asked again.
    package mutating func refused(alive: Int, because reason: String, now: Duration) -> Duration {
        if alive < served, now - servedAt <= Self.memory {
            // Those that were asked together have one pause.
            if let pausedUntil, now < pausedUntil { return pausedUntil }
            let isAgain = pausedUntil.map { now - $0 < pause * 2 } ?? false
            pause = isAgain ? min(pause * 2, Self.longestPause) : Self.shortestPause
            pausedUntil = now + pause
            return now + pause
        }
        if let growsAt, growsAt - patience / 2 < now { patience = min(patience * 2, Self.longestPatience) }
        current = max(1, min(current, alive))
        self.reason = reason
        growsAt = now + patience
        return now
    }

    /// What is new since the last time: that the host allows fewer connections than anybody was told of, and why.
    ///
    /// Refusals that come together are one piece of news.
    package mutating func news() -> (connections: Int, reason: String)? {
        guard let reason = reason.take(), current < told else { return nil }
        told = current
        return (current, reason)
    }

    /// Tries one more connection when its time has come.
    package mutating func grow(now: Duration) {
        guard let moment = growsAt, moment <= now, current < limit else { return }
        current += 1
        growsAt = now + patience
    }
}
