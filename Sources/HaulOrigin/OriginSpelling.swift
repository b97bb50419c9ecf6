/// Ways to spell `Content-Range` that servers in the field have been seen to use.
package enum OriginSpelling: Hashable, Sendable, CaseIterable {
    /// `Bytes 0-9/100`.
    case capitalUnit
    /// `bytes=0-9/100`.
    case equalsSign
    /// `bytes: 0-9/100`.
    case colon
    /// `bytes  0 - 9 / 100`.
    case spaced
    /// `0-9/100`.
    case noUnit

    /// Spells a range of a file of `total` bytes.
    func spell(_ range: Range<Int64>, total: Int64) -> String {
        let last = range.upperBound - 1
        return switch self {
        case .capitalUnit: "Bytes \(range.lowerBound)-\(last)/\(total)"
        case .equalsSign: "bytes=\(range.lowerBound)-\(last)/\(total)"
        case .colon: "bytes: \(range.lowerBound)-\(last)/\(total)"
        case .spaced: "bytes  \(range.lowerBound) - \(last) / \(total)"
        case .noUnit: "\(range.lowerBound)-\(last)/\(total)"
        }
    }
}
