/// A token bucket: how long to wait so that bytes leave at a rate.
///
/// It remembers the moment at which everything sent so far would have left at exactly the rate; a sender may be ahead
/// of it by a small burst. Late wake-ups are therefore made good, and the average holds.
package struct OriginPace: Sendable {
    /// Bytes a second.
    package let rate: Int64
    /// Time by which a sender may be ahead.
    private let burst: Duration
    private var due: Duration = .zero

    /// Makes a bucket.
    ///
    /// - Parameters:
    ///   - rate: bytes a second, at least 1.
    ///   - speed: how many of the bucket's seconds pass in one.
    package init(rate: Int64, speed: Double = 1) {
        self.rate = max(1, rate)
        burst = .milliseconds(20) * speed
    }

    /// A good number of bytes to send in one piece: some milliseconds' worth.
    package var piece: Int { Int(min(262_144, max(1, rate / 200))) }

    /// Counts `count` bytes as sent and says how long to wait before sending them.
    package mutating func take(_ count: Int, at now: Duration) -> Duration {
        due = max(due, now - burst)
        let wait = due - now
        due += .nanoseconds(Int64(Double(count) * 1e9 / Double(rate)))
        return max(.zero, wait)
    }
}
