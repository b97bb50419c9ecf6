/// One request under way, as the scheduler sees it.
package struct Flight: Sendable {
    /// Index of the worker that carries it.
    package let slot: Int
    /// What it is to bring; the end moves down when another worker takes over the rest.
    package internal(set) var range: ByteRange
    /// Offset after the last byte that came.
    package internal(set) var position: Int64
    /// Attempts without a byte before this one.
    let attempts: Int
    /// When it was sent.
    let startedAt: Duration
    /// When something last came, a redirect included, or the connection stood.
    var lastChange: Duration
    /// Start and position of the running measurement of its rate.
    var rateSince: (time: Duration, position: Int64)
    /// Its rate lately, since the request as long as there is no answer.
    var recent: RecentRate
    /// Bytes that came and lie before what is wanted.
    var skipped: Int64 = 0
    /// Whether its connection stands.
    var isConnected = false
    /// Redirects that were followed.
    var hops = 0
    /// Whether an answer was judged and taken.
    package internal(set) var isAnswered = false
    /// How often the address had been resolved anew when it was sent.
    let resolution: Int
    /// Whether it was the request that resolved the address anew.
    var resolvedItself = false
    /// The worker that fetches the same bytes, if this is one of two racing.
    var rival: Int?
    /// Why the scheduler ended it, nil if it did not.
    var abortReason: AbortReason?

    /// Why a flight is ended from here.
    enum AbortReason: Hashable, Sendable {
        case stalled
        case overtaken
        case restarting
    }

    init(
        slot: Int, entry: SegmentQueue.Entry, resolution: Int, rival: Int? = nil, now: Duration
    ) {
        self.slot = slot
        range = entry.range
        position = entry.range.lowerBound
        attempts = entry.attempts
        startedAt = now
        lastChange = now
        rateSince = (now, entry.range.lowerBound)
        recent = RecentRate(at: entry.range.lowerBound, now: now)
        self.resolution = resolution
        self.rival = rival
    }

    /// Bytes still to come.
    var remaining: Int64 { range.upperBound - position }

    /// Rate lately, in bytes a second; nil in the first quarter of a second.
    func rate(at now: Duration) -> Double? { recent.rate(at: position, now: now) }

    /// Rate since the answer or the last measurement, in bytes a second, also of one that is over before its rate lately
    /// says anything.
    ///
    /// Where that took next to no time it is the rate since the request, which is less; nil if nothing came.
    func meanRate(to end: Int64, at now: Duration) -> Double? {
        let least = Duration.milliseconds(20)
        guard isAnswered, end > range.lowerBound, now - startedAt >= least else { return nil }
        let time = now - rateSince.time
        guard time < least else { return Double(end - rateSince.position) / time.seconds }
        return Double(end - range.lowerBound) / (now - startedAt).seconds
    }

    /// Begins to measure anew: what was is not the connection's fault.
    mutating func measureAnew(from position: Int64, now: Duration) {
        lastChange = now
        rateSince = (now, position)
        recent = RecentRate(at: position, now: now)
    }
}
