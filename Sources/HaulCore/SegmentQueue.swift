/// Ranges that are neither on hand nor in flight, with what is known of the attempts on them.
package struct SegmentQueue: Hashable, Sendable {
    /// A range that waits for a connection.
    package struct Entry: Hashable, Sendable {
        /// The missing bytes; the upper bound is `Int64.max` when the size is unknown.
        package var range: ByteRange
        /// Attempts in a row that brought no byte of it.
        package var attempts: Int
        /// When it may be asked for again, on the engine's clock.
        package var notBefore: Duration
    }

    /// Waiting ranges in ascending order; they do not overlap.
    package private(set) var entries: [Entry] = []

    /// Makes an empty queue.
    package init() {}

    /// Whether nothing waits.
    package var isEmpty: Bool { entries.isEmpty }

    /// Number of waiting bytes; `Int64.max` if one range is open.
    package var total: Int64 {
        entries.reduce(0) { sum, entry in
            let (total, overflow) = sum.addingReportingOverflow(entry.range.length)
            return overflow ? .max : total
        }
    }

    /// Adds a range.
    package mutating func insert(_ range: ByteRange, attempts: Int = 0, notBefore: Duration = .zero) {
        guard !range.isEmpty else { return }
        let index = entries.firstIndex { $0.range.lowerBound > range.lowerBound } ?? entries.endIndex
        entries.insert(Entry(range: range, attempts: attempts, notBefore: notBefore), at: index)
    }

    /// Takes out the first range that may be asked for now, cut to at most `share` bytes.
    ///
    /// A rest smaller than `minimum` is taken along rather than left behind.
    ///
    /// - Parameters:
    ///   - share: most bytes to take.
    ///   - minimum: least bytes worth leaving.
    ///   - alignment: cuts fall on multiples of it.
    ///   - horizon: nothing at or behind this offset is given out, and no part of a share either: it waits until the
    ///     whole share lies before it.
    ///   - now: time on the engine's clock.
    /// - Returns: range and attempts so far; nil if nothing may be asked for yet.
    package mutating func next(
        share: Int64, minimum: Int64, alignment: Int64, horizon: Int64 = .max, now: Duration
    ) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.notBefore <= now }) else { return nil }
        var entry = entries[index]
        let whole = entry.range
        let end = min(whole.upperBound, Self.aligned(whole.lowerBound.saturatingAdd(share), to: alignment))
        guard end <= horizon else { return nil }
        if whole.upperBound > horizon || (whole.length - share >= minimum && whole.length > share) {
            let (first, rest) = whole.split(at: Self.aligned(whole.lowerBound + share, to: alignment))
            if !first.isEmpty, !rest.isEmpty {
                entries[index].range = rest
                entry.range = first
                return entry
            }
        }
        entries.remove(at: index)
        return entry
    }

    /// Lets the first range be asked for now: whatever it waited for is over.
    package mutating func hasten(now: Duration) {
        guard let first = entries.first, first.notBefore > now else { return }
        entries[0].notBefore = now
    }

    /// Removes all ranges.
    package mutating func removeAll() { entries.removeAll() }

    /// The next multiple of `unit` at or behind `offset`.
    static func aligned(_ offset: Int64, to unit: Int64) -> Int64 {
        let (sum, overflow) = offset.addingReportingOverflow(unit - 1)
        return overflow ? .max : sum / unit * unit
    }
}
