/// What a refusal says about when to come back (RFC 9110 §10.2.3).
package enum OriginRetryAfter: Hashable, Sendable {
    /// Nothing.
    case none
    /// A number of seconds.
    case seconds(Int)
    /// A date that many seconds from now.
    case date(Int64)
    /// More seconds than any clock has.
    case absurd
    /// Neither number nor date.
    case garbage

    /// The field's value, nil for none.
    func value(at moment: OriginMoment) -> String? {
        switch self {
        case .none: nil
        case .seconds(let seconds): "\(seconds)"
        case .date(let offset): OriginMoment.httpDate(moment.calendar + offset)
        case .absurd: "99999999999999999999"
        case .garbage: "soon"
        }
    }
}
