/// Lines of names and values, as `haul status` and `haul doctor` print them.
struct ReportTable {
    /// The lines so far, each with its end.
    private(set) var text: String

    private static let column = 16

    /// Makes a table without lines.
    init(title: String) { text = title + "\n" }

    /// Adds a line; characters that would steer a terminal are escaped.
    mutating func add(_ name: String, _ value: String) {
        let blank = String(repeating: " ", count: max(1, Self.column - name.count))
        text += "  \(name)\(blank)\(Printable.escaping(value))\n"
    }
}
