/// What a `Range` field asks for (RFC 9110 §14.1).
package enum OriginRangeRequest: Hashable, Sendable {
    /// The whole: no field, or one that is not understood and hence ignored.
    case none
    /// These bytes, cut at the file's end.
    case bytes(Range<Int64>)
    /// Nothing that the file holds.
    case unsatisfiable

    /// Reads a field value against a file of `size` bytes; several ranges count as the first.
    package init(_ text: String, size: Int64) {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0] == "bytes", let first = parts[1].split(separator: ",").first else {
            self = .none
            return
        }
        let ends = first.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else {
            self = .none
            return
        }
        switch (Int64(ends[0]), Int64(ends[1])) {
        case (nil, let suffix?) where ends[0].isEmpty:
            self = suffix == 0 || size == 0 ? .unsatisfiable : .bytes(max(0, size - suffix)..<size)
        case (let start?, nil) where ends[1].isEmpty:
            self = start >= size ? .unsatisfiable : .bytes(start..<size)
        case (let start?, let last?) where start <= last:
            self = start >= size ? .unsatisfiable : .bytes(start..<(min(last, size - 1) + 1))
        default:
            self = .none
        }
    }
}
