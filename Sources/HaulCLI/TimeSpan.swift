/// Durations as people write and read them.
enum TimeSpan {
    /// Reads seconds with up to three decimals, with or without an `s` behind them.
    ///
    /// - Returns: nil when the text is no duration, or more than `longest`.
    static func parse(_ text: some StringProtocol) -> Duration? {
        let number = text.hasSuffix("s") ? text.dropLast() : text[...]
        guard number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) else { return nil }
        let halves = number.split(separator: ".", omittingEmptySubsequences: false)
        // curl takes `.5` too.
        let whole = halves.first.map { $0.isEmpty && halves.count > 1 ? "0" : $0 }
        guard let whole, let seconds = Int64(whole), seconds <= longest else { return nil }
        guard halves.count > 1 else { return .seconds(seconds) }
        guard halves.count == 2, (1...3).contains(halves[1].count) else { return nil }
        let digits = halves[1] + String(repeating: "0", count: 3 - halves[1].count)
        return Int64(digits).map { .seconds(seconds) + .milliseconds($0) }
    }

    /// Most seconds that are read: a year.
    static let longest: Int64 = 365 * 86_400

    /// Seconds as a number.
    static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    /// A time taken, such as `0.61 s`, `12.3 s` or `4 min 07 s`.
    static func text(_ duration: Duration) -> String {
        let seconds = seconds(duration)
        guard seconds >= 99.95 else { return FixedPoint.text(seconds, decimals: seconds < 9.995 ? 2 : 1) + " s" }
        let whole = Int64(seconds.rounded())
        guard whole >= 3600 else { return "\(whole / 60) min \(padded(whole % 60)) s" }
        return "\(whole / 3600) h \(padded(whole / 60 % 60)) min"
    }

    /// What comes of a wait, such as `waiting 0.4 s`, `waiting 3 s` or, where there is hardly any, `trying again at once`.
    static func wait(_ duration: Duration) -> String {
        duration < .milliseconds(50) ? "trying again at once" : "waiting " + rough(duration)
    }

    /// A time to wait, such as `0.4 s`, `3 s` or `4 min 07 s`.
    private static func rough(_ duration: Duration) -> String {
        let seconds = seconds(duration)
        if seconds < 0.95 { return FixedPoint.text(seconds, decimals: 1) + " s" }
        return seconds < 99.5 ? "\(Int64(seconds.rounded())) s" : text(duration)
    }

    /// A time left, such as `0:07`, `4:07`, `1:04:07` or `3 d`.
    static func clock(_ duration: Duration) -> String {
        let seconds = max(0, Int64(seconds(duration).rounded(.up)))
        guard seconds >= 3600 else { return "\(seconds / 60):\(padded(seconds % 60))" }
        guard seconds >= 100 * 3600 else {
            return "\(seconds / 3600):\(padded(seconds / 60 % 60)):\(padded(seconds % 60))"
        }
        return "\(seconds / 86_400) d"
    }

    private static func padded(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
