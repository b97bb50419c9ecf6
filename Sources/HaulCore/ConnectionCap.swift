/// How many connections a host allows, learned from its refusals.
package struct ConnectionCap: Hashable, Sendable {
    /// Most connections that the user allows.
    package let limit: Int
    /// Most connections that are tried now.
    package private(set) var current: Int
    /// When one more may be tried, nil as long as nothing was refused.
    package private(set) var growsAt: Duration?
    private var patience: Duration = .seconds(10)
    /// Longest time between two tries of one more connection.
    private static let longestPatience: Duration = .seconds(320)

    /// Makes a cap at what the user allows.
    package init(limit: Int) {
        self.limit = limit
        current = limit
    }

    /// The host refused a connection while `alive` others lived.
    ///
    /// Refusals of connections that were opened at the same time lower the number once each; the time until one more is
    /// tried doubles with each refused try, so that a long download asks a strict host only a few times.
    package mutating func refused(alive: Int, now: Duration) {
        if let growsAt, growsAt - patience / 2 < now { patience = min(patience * 2, Self.longestPatience) }
        current = max(1, min(current, alive))
        growsAt = now + patience
    }

    /// Tries one more connection when its time has come.
    package mutating func grow(now: Duration) {
        guard let moment = growsAt, moment <= now, current < limit else { return }
        current += 1
        growsAt = now + patience
    }
}
