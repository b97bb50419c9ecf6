/// A token bucket: how long to wait so that bytes leave at a rate.
///
/// It remembers the moment at which everything sent so far would have left at exactly the rate; a sender may be ahead
/// of it by a small burst, though not at the beginning. Late wake-ups are therefore made good, and the average holds.
package struct OriginPace: Sendable {
    /// Bytes a second.
    package let rate: Int64
    /// Time by which a sender may be ahead.
    private let burst: Duration
    private var due: Duration?

    /// Makes a bucket.
    ///
    /// - Parameters:
    ///   - rate: bytes a second, at least 1.
    ///   - burst: time by which a sender that was late may catch up.
    package init(rate: Int64, burst: Duration = .milliseconds(50)) {
        self.rate = max(1, rate)
        self.burst = burst
    }

    /// A good number of bytes to send in one piece: some milliseconds' worth.
    package var piece: Int { Int(min(262_144, max(1, rate / 200))) }

    /// Counts `count` bytes as sent and says how long to wait before sending them.
    package mutating func take(_ count: Int, at now: Duration) -> Duration {
        let start = max(due ?? now, now - burst)
        due = start + .nanoseconds(Int64(Double(count) * 1e9 / Double(rate)))
        return max(.zero, start - now)
    }
}
