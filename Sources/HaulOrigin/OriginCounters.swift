/// What an origin remembers of one resource between requests.
struct OriginCounters: Sendable {
    /// Requests for it, refused ones included.
    var requests = 0
    /// Requests with a range that got as far as an answer.
    var ranged = 0
    /// Bytes of body sent.
    var bytes: Int64 = 0
    /// Answers under way, refusals not counted.
    var active = 0
    /// How often a behaviour that wears off has shown.
    var shown: [OriginBehavior: Int] = [:]
    /// Signed addresses given out: how often each was used, and when it was made.
    var tokens: [(uses: Int, made: Duration)] = []
    /// When connections first asked for it.
    var arrivals: [Duration] = []

    /// Whether `behavior`, which shows `times` times, is to show once more; counts it.
    mutating func shows(_ behavior: OriginBehavior, times: Int) -> Bool {
        let before = shown[behavior, default: 0]
        guard before < times else { return false }
        shown[behavior] = before + 1
        return true
    }
}
