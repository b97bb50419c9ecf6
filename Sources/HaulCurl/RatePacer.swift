/// Says when a transfer of limited rate may take its next bytes.
///
/// libcurl's own limit (`CURLOPT_MAX_RECV_SPEED_LARGE`) lets a megabyte at half a megabyte a second through in six
/// milliseconds (measured, 7.88), so that short requests would know no limit.
struct RatePacer {
    /// Time that may be made up for after a silence.
    private static let grace = Duration.milliseconds(100)

    private let rate: Double
    private var due: ContinuousClock.Instant

    /// Makes a pacer of `rate` bytes a second, at least 1.
    init(rate: Int64, now: ContinuousClock.Instant) {
        self.rate = Double(max(1, rate))
        due = now
    }

    /// Counts bytes that were taken.
    mutating func take(_ count: Int, now: ContinuousClock.Instant) {
        due = max(due, now - Self.grace) + .seconds(Double(count) / rate)
    }

    /// When the next bytes may be taken, nil if now.
    func waitTime(now: ContinuousClock.Instant) -> ContinuousClock.Instant? { due > now ? due : nil }
}
