/// Rate of a growing number, smoothed over about three seconds.
struct SmoothedRate: Sendable {
    private static let window = 3.0
    private var last: (amount: Int64, moment: ContinuousClock.Instant)?
    private var value: Double?

    /// Makes a rate about which nothing is known.
    init() {}

    /// Takes the newest amount.
    ///
    /// - Returns: the rate a second.
    mutating func record(_ amount: Int64, at moment: ContinuousClock.Instant) -> Double {
        guard let last else {
            self.last = (amount, moment)
            return 0
        }
        let seconds = TimeSpan.seconds(moment - last.moment)
        // Too short a time says little.
        guard seconds >= 0.05 else { return value ?? 0 }
        let rate = max(0, Double(amount - last.amount)) / seconds
        let weight = value == nil ? 1 : min(1, seconds / Self.window)
        value = (value ?? 0) + (rate - (value ?? 0)) * weight
        self.last = (amount, moment)
        return value ?? 0
    }
}
