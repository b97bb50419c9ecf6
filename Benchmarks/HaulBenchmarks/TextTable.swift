/// A table in columns, for terminals and Markdown alike.
struct TextTable {
    private let heads: [String]
    private var rows: [[String]] = []

    /// Makes a table; the first column is text, all others are numbers.
    init(_ heads: [String]) { self.heads = heads }

    /// Adds a row.
    mutating func add(_ row: [String]) { rows.append(row) }

    /// The table in Markdown, with aligned columns.
    var text: String {
        let widths = heads.indices.map { index in
            ([heads] + rows).map { index < $0.count ? $0[index].count : 0 }.max() ?? 0
        }
        let rule = widths.enumerated().map { index, width in
            index == 0 ? String(repeating: "-", count: width) : String(repeating: "-", count: max(1, width - 1)) + ":"
        }
        return ([heads, rule] + rows).map { line($0, widths) }.joined(separator: "\n")
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = widths.indices.map { index -> String in
            let cell = index < cells.count ? cells[index] : ""
            let gap = String(repeating: " ", count: max(0, widths[index] - cell.count))
            return index == 0 ? cell + gap : gap + cell
        }
        return "| " + padded.joined(separator: " | ") + " |"
    }
}
