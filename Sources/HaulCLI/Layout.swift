/// Shares the columns of one line among the fields of the live display.
struct Layout {
    /// Fields in the order in which they are shown.
    enum Field: Int, CaseIterable {
        case name, bar, percent, bytes, rate, time, connections
    }

    /// Columns between two fields.
    private static let gap = 2
    /// Columns that the line may take.
    let limit: Int
    /// Texts of the fields; the bar's stands for its widest form.
    private(set) var texts: [Field: String] = [:]
    /// Fields with the fewest columns that they can do with, the most useful first.
    private var wishes: [(field: Field, minimum: Int)] = []

    /// Makes a layout without fields.
    init(limit: Int) { self.limit = limit }

    /// Adds a field; earlier ones go first when there is no room for all.
    ///
    /// - Parameters:
    ///   - field: which one.
    ///   - text: what it shows.
    ///   - minimum: columns it can do with; nil when it is shown whole or not at all.
    mutating func add(_ field: Field, _ text: String, minimum: Int? = nil) {
        let whole = Printable.columns(text)
        texts[field] = text
        wishes.append((field, min(whole, minimum ?? whole)))
    }

    /// Columns of every field that has a place.
    func widths() -> [Field: Int] {
        var widths: [Field: Int] = [:]
        var used = 0
        for wish in wishes {
            let cost = wish.minimum + (widths.isEmpty ? 0 : Self.gap)
            guard used + cost <= limit else { continue }
            widths[wish.field] = wish.minimum
            used += cost
        }
        // What is left makes the name whole, up to a third of the line if something else grows too, then what is said
        // about it, and then the bar long.
        let isSaid = widths[.rate].map { $0 < Printable.columns(texts[.rate] ?? "") } ?? false
        let nameLimit = widths[.bar] == nil && !isSaid ? limit : limit / 3
        for (field, most) in [(Field.name, nameLimit), (.rate, limit), (.bar, limit)] {
            guard let width = widths[field], let text = texts[field] else { continue }
            let more = min(limit - used, max(0, min(Printable.columns(text), most) - width))
            widths[field] = width + more
            used += more
        }
        return widths
    }
}
