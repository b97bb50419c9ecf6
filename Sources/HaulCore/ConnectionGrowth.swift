/// Finds out how many connections pay: starts with a few and doubles them while that raises the total rate.
///
/// A step is judged when all its connections have answered and bytes have come for a while. One that did not pay is
/// taken back: connections that bring nothing only cost the server.
package struct ConnectionGrowth: Sendable {
    /// Most connections ever.
    package let limit: Int
    /// Connections that may be at work now.
    package private(set) var allowed: Int
    /// Whether the number is found.
    package private(set) var isSettled = false

    /// Rate with the number before, in bytes a second.
    private var lastRate = 0.0
    private var lastAllowed: Int
    /// Start of the running measurement: time, and bytes that had come by then.
    private var since: (time: Duration, received: Int64)?

    /// Connections at the start: few enough for any server, enough to see a gain soon.
    private static let first = 4
    /// Length of a measurement: long against scheduling, short against a download worth dividing.
    private static let period: Duration = .milliseconds(200)
    /// A step pays when it raises the rate by this factor; doubling under a cap for each connection gives 2.
    private static let gain = 1.15

    /// Makes it for at most `limit` connections.
    package init(limit: Int) {
        self.limit = limit
        allowed = min(Self.first, limit)
        lastAllowed = 1
        isSettled = limit <= Self.first
    }

    /// Time went by.
    ///
    /// - Parameters:
    ///   - answered: connections that bring bytes.
    ///   - received: bytes that have come in all.
    ///   - now: time on the engine's clock.
    package mutating func tick(answered: Int, received: Int64, now: Duration) {
        guard !isSettled else { return }
        // Connections that end in between have no successor when nothing waits: then there is nothing to grow for.
        guard answered >= allowed else { return since = nil }
        guard let start = since else { return since = (now, received) }
        let time = now - start.time
        guard time >= Self.period else { return }
        let rate = Double(received - start.received) / time.seconds
        since = nil
        if rate < lastRate * Self.gain {
            allowed = lastAllowed
            isSettled = true
        } else if allowed == limit {
            isSettled = true
        } else {
            lastRate = rate
            lastAllowed = allowed
            allowed = min(allowed * 2, limit)
        }
    }
}
