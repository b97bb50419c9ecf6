/// Rate of one request over its last one or two seconds.
///
/// A mean over all its time would take a connection for fast long after it began to crawl.
struct RecentRate: Sendable {
    private typealias Mark = (time: Duration, position: Int64)

    private var older: Mark
    private var newer: Mark

    /// Distance of the marks: long against bursts of servers that limit the rate.
    private static let period: Duration = .seconds(1)
    /// Shorter measurements tell nothing.
    private static let least: Duration = .milliseconds(250)

    /// Begins at a position.
    init(at position: Int64, now: Duration) {
        older = (now, position)
        newer = older
    }

    /// Takes note of a position.
    mutating func note(_ position: Int64, now: Duration) {
        guard now - newer.time >= Self.period else { return }
        older = newer
        newer = (now, position)
    }

    /// Bytes a second, nil in the first quarter of a second.
    func rate(at position: Int64, now: Duration) -> Double? {
        let time = now - older.time
        return time < Self.least ? nil : Double(position - older.position) / time.seconds
    }
}
