/// The `Retry-After` field: how long a server wants to be left alone (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// Longest wait that is told apart from "for ever", 2³¹ − 1 seconds (RFC 9111 §1.2.2); callers cap lower.
    package static let longest: Duration = .seconds(Int32.max)

    /// Reads the field of an answer; a date counts from the answer's own `Date`, which needs no common clock.
    ///
    /// `now`, in seconds since 1970, is used when the answer has no `Date`.
    package static func delay(_ fields: HTTPFields, at now: Int64) -> Duration? {
        guard let text = fields["Retry-After"] else { return nil }
        return delay(text, at: fields["Date"].flatMap { HTTPDate.seconds($0) } ?? now)
    }

    /// Reads a value: seconds, or a date, which counts from `now` in seconds since 1970.
    ///
    /// - Returns: zero for a date that has passed; nil if it is neither. A fraction of a second is rounded up.
    package static func delay(_ text: String, at now: Int64) -> Duration? {
        let value = FieldText.trimmed(text)
        if let date = HTTPDate.seconds(value) {
            let (wait, overflow) = date.subtractingReportingOverflow(now)
            return overflow ? nil : min(.seconds(max(0, wait)), longest)
        }
        let parts = value.split(separator: ".", omittingEmptySubsequences: false)
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(digits.contains) })
        else { return nil }
        guard let whole = FieldText.number(parts[0].utf8), whole < Int64(Int32.max) else { return longest }
        let hasFraction = parts.count == 2 && parts[1].contains { $0 != "0" }
        return .seconds(hasFraction ? whole + 1 : whole)
    }
}
