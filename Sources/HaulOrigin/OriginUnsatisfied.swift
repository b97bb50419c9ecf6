/// The dialects in which servers say that a range lies beyond the end.
package enum OriginUnsatisfied: Hashable, Sendable, CaseIterable {
    /// 416 with `Content-Range: bytes */size`.
    case standard
    /// 416 without `Content-Range`.
    case withoutField
    /// 416 with a `Content-Range` that can't be read.
    case garbage
    /// 416 with `Content-Range: bytes */0`.
    case zeroTotal
    /// 416 with `Content-Range: bytes */*`.
    case unknownTotal
    /// 400 without `Content-Range`.
    case badRequest
    /// 200 with the whole file.
    case whole
    /// 206 with no byte, and a `Content-Range` that ends before it begins.
    case empty206

    /// Value of `Content-Range` for a file of `total` bytes, nil for none.
    func contentRange(total: Int64) -> String? {
        switch self {
        case .standard: "bytes */\(total)"
        case .withoutField, .badRequest, .whole: nil
        case .garbage: "bytes ?/?"
        case .zeroTotal: "bytes */0"
        case .unknownTotal: "bytes */*"
        case .empty206: "bytes \(total)-\(total - 1)/\(total)"
        }
    }
}
