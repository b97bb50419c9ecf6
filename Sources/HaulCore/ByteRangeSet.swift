/// A set of byte offsets, kept as sorted ranges that neither touch nor overlap.
///
/// Used for what is finished, what is missing and what is in flight. Insertion and removal find their place by
/// binary search and move at most the ranges behind it.
package struct ByteRangeSet: Hashable, Sendable {
    /// The ranges in ascending order; no two of them touch, none is empty.
    package private(set) var ranges: [ByteRange] = []

    /// Number of offsets in the set, in bytes.
    package private(set) var total: Int64 = 0

    /// Makes the empty set.
    package init() {}

    /// Makes the set of one range.
    package init(_ range: ByteRange) { insert(range) }

    /// Makes the union of `ranges`, in any order.
    package init(_ ranges: some Sequence<ByteRange>) {
        for range in ranges { insert(range) }
    }

    /// Whether the set holds nothing.
    package var isEmpty: Bool { ranges.isEmpty }

    /// Adds every offset of `range`; offsets that are there already stay there once.
    package mutating func insert(_ range: ByteRange) {
        guard !range.isEmpty else { return }
        let first = firstIndex { $0.upperBound >= range.lowerBound }
        var last = first
        var merged = range
        while last < ranges.count, ranges[last].lowerBound <= range.upperBound {
            merged = ByteRange(
                min(merged.lowerBound, ranges[last].lowerBound), max(merged.upperBound, ranges[last].upperBound))
            total -= ranges[last].length
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: CollectionOfOne(merged))
        total += merged.length
    }

    /// Removes every offset of `range`; offsets that are not there are no error.
    package mutating func remove(_ range: ByteRange) {
        guard !range.isEmpty else { return }
        let first = firstIndex { $0.upperBound > range.lowerBound }
        var last = first
        var rest: [ByteRange] = []
        while last < ranges.count, ranges[last].lowerBound < range.upperBound {
            let here = ranges[last]
            total -= here.length
            for part in [here.split(at: range.lowerBound).before, here.split(at: range.upperBound).after]
            where !part.isEmpty {
                rest.append(part)
                total += part.length
            }
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: rest)
    }

    /// Adds all of `other`.
    package mutating func formUnion(_ other: ByteRangeSet) {
        for range in other.ranges { insert(range) }
    }

    /// Removes all of `other`.
    package mutating func subtract(_ other: ByteRangeSet) {
        for range in other.ranges { remove(range) }
    }

    /// Whether `offset` is in the set.
    package func contains(_ offset: Int64) -> Bool {
        let index = firstIndex { $0.upperBound > offset }
        return index < ranges.count && ranges[index].contains(offset)
    }

    /// Whether every offset of `range` is in the set; true of an empty range.
    package func contains(_ range: ByteRange) -> Bool {
        guard !range.isEmpty else { return true }
        let index = firstIndex { $0.upperBound > range.lowerBound }
        return index < ranges.count && ranges[index].contains(range)
    }

    /// Whether any offset of `range` is in the set.
    package func overlaps(_ range: ByteRange) -> Bool {
        guard !range.isEmpty else { return false }
        let index = firstIndex { $0.upperBound > range.lowerBound }
        return index < ranges.count && ranges[index].overlaps(range)
    }

    /// The parts of `range` that are not in the set, in ascending order.
    package func gaps(in range: ByteRange) -> [ByteRange] {
        guard !range.isEmpty else { return [] }
        var gaps: [ByteRange] = []
        var position = range.lowerBound
        var index = firstIndex { $0.upperBound > range.lowerBound }
        while index < ranges.count, ranges[index].lowerBound < range.upperBound {
            let gap = ByteRange(position, ranges[index].lowerBound)
            if !gap.isEmpty { gaps.append(gap) }
            position = ranges[index].upperBound
            index += 1
        }
        let tail = ByteRange(position, range.upperBound)
        if !tail.isEmpty { gaps.append(tail) }
        return gaps
    }

    /// The parts of `range` that are in the set, in ascending order.
    package func intersection(_ range: ByteRange) -> [ByteRange] {
        var parts: [ByteRange] = []
        var index = firstIndex { $0.upperBound > range.lowerBound }
        while index < ranges.count, ranges[index].lowerBound < range.upperBound {
            parts.append(ranges[index].clamped(to: range))
            index += 1
        }
        return parts
    }

    /// End of the unbroken run that starts at `offset`: `offset` itself when it is not in the set.
    package func front(from offset: Int64) -> Int64 {
        let index = firstIndex { $0.upperBound > offset }
        guard index < ranges.count, ranges[index].lowerBound <= offset else { return offset }
        return ranges[index].upperBound
    }

    /// Index of the first range for which `predicate` holds, `ranges.count` if there is none.
    ///
    /// The predicate is false for a prefix of the ranges and true for the rest.
    private func firstIndex(where predicate: (ByteRange) -> Bool) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = low + (high - low) / 2
            if predicate(ranges[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension ByteRangeSet: CustomStringConvertible {
    package var description: String { ranges.map(\.description).joined(separator: ", ") }
}
