import Haul

/// Draws a file as a row of cells that fill as its ranges finish.
///
/// Pure: what it draws depends on its arguments only.
struct MapRenderer: Hashable, Sendable {
    /// State of a cell: the lowest of what it holds.
    enum Cell: Hashable, Sendable {
        /// Nothing of it is here, and nothing is coming.
        case waiting
        /// A connection is filling it, or has left it half full.
        case inFlight
        /// All of it is on disk.
        case onDisk
        /// All of it was read back and is right.
        case verified
    }

    /// Whether characters outside ASCII may be used.
    var unicode: Bool
    /// Whether colour may be used.
    var color: Bool

    /// States of the cells of a file; all waiting when its size is unknown.
    static func cells(_ progress: DownloadProgress, count: Int) -> [Cell] {
        guard count > 0 else { return [] }
        guard let total = progress.total, progress.phase != .probing else {
            return Array(repeating: .waiting, count: count)
        }
        if progress.phase == .finished || total <= 0 { return Array(repeating: .verified, count: count) }
        let onHand = filling(progress.finishedRanges, total: total, count: count)
        let verified = filling(progress.verifiedRanges, total: total, count: count)
        var cells: [Cell] = (0..<count).map { index in
            let size = end(of: index, total, count) - end(of: index - 1, total, count)
            if verified[index] >= size { return .verified }
            if onHand[index] >= size { return .onDisk }
            return onHand[index] > 0 ? .inFlight : .waiting
        }
        for range in progress.connectionRanges where range.lowerBound < total && !range.isEmpty {
            let index = min(count - 1, Int(Double(range.lowerBound) / Double(total) * Double(count)))
            if cells[index] == .waiting { cells[index] = .inFlight }
        }
        return cells
    }

    /// Draws cells, colours included.
    func text(_ cells: [Cell]) -> String {
        var result = ""
        var start = cells.startIndex
        while start < cells.endIndex {
            let cell = cells[start]
            let end = cells[start...].firstIndex { $0 != cell } ?? cells.endIndex
            let run = String(repeating: character(cell), count: end - start)
            result += color ? "\u{1B}[\(code(cell))m\(run)\u{1B}[0m" : run
            start = end
        }
        return result
    }

    /// A drawn text without its colours.
    static func withoutColor(_ text: String) -> String {
        guard text.utf8.contains(0x1B) else { return text }
        var result = ""
        var rest = text[...]
        while let escape = rest.firstIndex(of: "\u{1B}") {
            result += rest[..<escape]
            rest = rest[escape...].drop { $0 != "m" }.dropFirst()
        }
        return result + rest
    }

    private func character(_ cell: Cell) -> Character {
        switch cell {
        case .waiting: unicode ? "░" : "."
        case .inFlight: unicode ? "▒" : ">"
        case .onDisk: unicode ? "▓" : "="
        case .verified: unicode ? "█" : "#"
        }
    }

    /// Colours (ECMA-48): grey, yellow, blue, green.
    private func code(_ cell: Cell) -> String {
        switch cell {
        case .waiting: "90"
        case .inFlight: "33"
        case .onDisk: "34"
        case .verified: "32"
        }
    }

    private static func end(of index: Int, _ total: Int64, _ count: Int) -> Double {
        Double(total) * Double(index + 1) / Double(count)
    }

    /// Bytes of each cell that ascending ranges cover.
    private static func filling(_ ranges: [Range<Int64>], total: Int64, count: Int) -> [Double] {
        var bytes = Array(repeating: 0.0, count: count)
        for range in ranges {
            let (lower, upper) = (Double(max(0, range.lowerBound)), Double(min(total, range.upperBound)))
            guard lower < upper else { continue }
            var index = min(count - 1, Int(lower / Double(total) * Double(count)))
            while index < count, end(of: index - 1, total, count) < upper {
                let size = min(upper, end(of: index, total, count)) - max(lower, end(of: index - 1, total, count))
                // Rounding must not keep a full cell from being full.
                bytes[index] += max(0, size) + 0.001
                index += 1
            }
        }
        return bytes
    }
}
