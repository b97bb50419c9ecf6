/// The middle and the ends of a few measurements.
struct Statistics {
    /// The middle value, or the mean of the two in the middle.
    let median: Double
    /// The smallest value.
    let least: Double
    /// The largest value.
    let most: Double

    /// Sums up values; nil if there are none.
    init?(_ values: [Double]) {
        let sorted = values.filter(\.isFinite).sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        (least, most) = (first, last)
        let middle = sorted.count / 2
        median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// `median (least–most)`.
    func text(_ digits: Int) -> String {
        let ends = "\(Decimals.text(least, digits))–\(Decimals.text(most, digits))"
        return "\(Decimals.text(median, digits)) (\(ends))"
    }
}
