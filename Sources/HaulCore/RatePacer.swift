/// Says when bytes of limited rate may be taken: first come, first served.
///
/// libcurl's own limit (`CURLOPT_MAX_RECV_SPEED_LARGE`) lets a megabyte at half a megabyte a second through in six
/// milliseconds (measured, 7.88), so that short requests would know no limit.
package struct RatePacer: Sendable {
    /// Time that may be made up for after a silence.
    private static let grace = Duration.milliseconds(100)

    private let rate: Double
    private var due: ContinuousClock.Instant

    /// Makes a pacer of `rate` bytes a second, at least 1.
    package init(rate: Int64, now: ContinuousClock.Instant) {
        self.rate = Double(max(1, rate))
        due = now
    }

    /// Reserves the next `count` bytes; whoever asks later waits behind them.
    ///
    /// - Returns: when they may be taken, nil if now.
    package mutating func reserve(_ count: Int, now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        let start = max(due, now - Self.grace)
        due = start + .seconds(Double(count) / rate)
        return start > now ? start : nil
    }
}
