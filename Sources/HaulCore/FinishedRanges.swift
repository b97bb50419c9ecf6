extension [FinishedRange] {
    /// Length of the window that no joined range leaves: 8 MiB, so that a bad one costs at most this much again.
    package static var joiningWindow: Int64 { 8 << 20 }

    /// The same coverage in fewer ranges, ascending by lower bound.
    ///
    /// Neighbours within one aligned window of 8 MiB become one, with their checksums combined; a range that lies
    /// wholly in earlier ones is dropped, the longer one of two that begin together is kept. Overlapping ranges stay
    /// apart, since their checksums cannot be split.
    package func joined() -> [FinishedRange] {
        let ascending = sorted {
            $0.range.lowerBound != $1.range.lowerBound
                ? $0.range.lowerBound < $1.range.lowerBound : $0.range.upperBound > $1.range.upperBound
        }
        var joined: [FinishedRange] = []
        var open: FinishedRange?
        var covered = Int64.min
        for next in ascending where next.range.upperBound > covered {
            covered = next.range.upperBound
            if let last = open {
                if let both = last.joined(with: next) {
                    open = both
                    continue
                }
                joined.append(last)
            }
            open = next
        }
        if let open { joined.append(open) }
        return joined
    }
}

extension FinishedRange {
    /// Joins this range with the one behind it.
    ///
    /// - Parameter next: the range behind this one.
    /// - Returns: both as one; nil if they don't touch, or together leave a window.
    package func joined(with next: FinishedRange) -> FinishedRange? {
        guard next.range.lowerBound == range.upperBound,
            range.lowerBound / [FinishedRange].joiningWindow
                == (next.range.upperBound - 1) / [FinishedRange].joiningWindow
        else { return nil }
        return FinishedRange(
            ByteRange(range.lowerBound, next.range.upperBound),
            checksum: CRC32C.combine(checksum, next.checksum, length: next.range.length))
    }
}
