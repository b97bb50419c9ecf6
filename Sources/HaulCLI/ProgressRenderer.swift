import Haul

/// Draws progress as text.
///
/// Pure: what it draws depends on its arguments only.
struct ProgressRenderer: Hashable, Sendable {
    /// Whether characters outside ASCII may be used.
    var unicode: Bool
    /// Whether colour may be used.
    var color: Bool

    /// Draws everything that stands at the bottom: lines of at most `width - 3` columns, so that no terminal wraps them,
    /// not even with `^C` behind.
    ///
    /// - Parameters:
    ///   - display: what to show.
    ///   - width: columns of the terminal.
    ///   - height: rows of the terminal.
    /// - Returns: at least one line, and fewer than `height` where that is more than one.
    func block(_ display: LiveDisplay, width: Int, height: Int) -> [String] {
        guard let total = display.total else {
            guard let line = display.lines.first else { return [""] }
            let limit = max(1, width - 3)
            guard height > 2, limit >= 16, Self.percent(line.progress) != nil else { return [bar(line, width: width)] }
            return [fields(line, limit: limit, hasBar: false), cells(line.progress, count: limit)]
        }
        let room = max(0, min(display.lines.count, height - 2))
        let shown = display.lines.prefix(room)
        let lines = zip(shown, Self.differences(shown.map(\.name))).map { line, place in
            fields(line, limit: max(1, width - 3), hasBar: true, place)
        }
        return lines + [self.total(total, hidden: display.lines.count - room, width: width)]
    }

    /// Draws one file in one line of at most `width - 3` columns.
    ///
    /// What does not fit is left out, the least useful first: bar, connections, time left, bytes, rate, name.
    func bar(_ line: LiveLine, width: Int) -> String { fields(line, limit: max(1, width - 3), hasBar: true) }

    /// Draws the line about all files.
    func total(_ total: LiveTotal, hidden: Int = 0, width: Int) -> String {
        var parts = [(1, Self.files(total))]
        if total.failed > 0 { parts.append((2, "\(total.failed) failed")) }
        if hidden > 0 { parts.append((5, "\(hidden) more under way")) }
        parts.append((4, ByteCount.text(total.received)))
        parts.append((3, ByteCount.rate(total.bytesPerSecond)))
        parts.append((6, "\(total.connections) conn"))
        let limit = max(1, width - 3)
        while parts.count > 1, parts.reduce(-2, { $0 + $1.1.count + 2 }) > limit,
            let least = parts.indices.max(by: { parts[$0].0 < parts[$1].0 })
        {
            parts.remove(at: least)
        }
        return Printable.shortening(parts.map(\.1).joined(separator: "  "), to: limit, mark: mark)
    }

    /// Draws one line for a log.
    static func plain(_ line: LiveLine) -> String {
        let progress = line.progress
        var parts: [String] = []
        if let percent = percent(progress) { parts.append("\(percent)%") }
        if let total = progress.total {
            parts.append("\(ByteCount.text(progress.received)) of \(ByteCount.text(total))")
        } else if progress.phase != .probing {
            parts.append(ByteCount.text(progress.received))
        }
        if let note = line.note ?? phase(progress) {
            parts.append(note)
        } else {
            parts.append(ByteCount.rate(progress.bytesPerSecond))
            if let left = progress.timeLeft { parts.append("\(TimeSpan.clock(left)) left") }
            parts.append(progress.connections == 1 ? "1 connection" : "\(progress.connections) connections")
        }
        return line.name + ": " + parts.joined(separator: ", ")
    }

    /// Draws one line about all files for a log.
    static func plain(_ total: LiveTotal) -> String {
        var parts = [files(total)]
        if total.failed > 0 { parts.append("\(total.failed) failed") }
        parts.append("\(total.active) under way")
        parts.append(ByteCount.text(total.received))
        parts.append(ByteCount.rate(total.bytesPerSecond))
        return parts.joined(separator: ", ")
    }

    private var mark: Character { unicode ? "…" : "~" }

    private func fields(_ line: LiveLine, limit: Int, hasBar: Bool, _ difference: Int? = nil) -> String {
        var layout = Layout(limit: limit)
        let progress = line.progress
        if let percent = Self.percent(progress) { layout.add(.percent, Self.padding("\(percent)%", to: 4)) }
        layout.add(.name, line.name, minimum: 8)
        if let note = line.note ?? Self.phase(progress) {
            layout.add(.rate, note, minimum: 12)
        } else {
            layout.add(.rate, Self.padding(ByteCount.rate(progress.bytesPerSecond), to: 10))
        }
        if progress.phase != .probing { layout.add(.bytes, Self.bytes(progress)) }
        if line.note == nil, progress.phase == .downloading, progress.total != nil {
            layout.add(.time, Self.padding(progress.timeLeft.map(TimeSpan.clock) ?? "-:--", to: 7))
        }
        if progress.phase == .downloading { layout.add(.connections, "\(progress.connections) conn") }
        if hasBar, Self.percent(progress) != nil {
            layout.add(.bar, String(repeating: " ", count: 200), minimum: 10)
        }
        return draw(layout, progress, difference)
    }

    private func draw(_ layout: Layout, _ progress: DownloadProgress, _ difference: Int?) -> String {
        let widths = layout.widths()
        var parts: [String] = []
        for place in Layout.Field.allCases {
            guard let width = widths[place], let text = layout.texts[place] else { continue }
            switch place {
            case .bar: parts.append(cells(progress, count: width))
            case .name:
                let name =
                    difference.map { Printable.shortening(text, to: width, mark: mark, keeping: $0) }
                    ?? Printable.shortening(text, to: width, mark: mark)
                parts.append(name + String(repeating: " ", count: width - Printable.columns(name)))
            case .rate: parts.append(Printable.cutting(text, to: width, mark: mark))
            default: parts.append(text)
            }
        }
        return parts.joined(separator: "  ")
    }

    /// Number of the first character that tells each name from the one that is most like it; nil where nothing does.
    private static func differences(_ names: [String]) -> [Int?] {
        // Among sorted names, neighbours are most alike.
        let order = names.indices.sorted { names[$0] < names[$1] }
        var common = Array(repeating: -1, count: names.count)
        for (first, second) in zip(order, order.dropFirst()) where names[first] != names[second] {
            let count = zip(names[first], names[second]).prefix { $0 == $1 }.count
            common[first] = max(common[first], count)
            common[second] = max(common[second], count)
        }
        return common.map { $0 < 0 ? nil : $0 }
    }

    private func cells(_ progress: DownloadProgress, count: Int) -> String {
        let map = MapRenderer(unicode: unicode, color: color)
        return "[" + map.text(MapRenderer.cells(progress, count: count - 2)) + "]"
    }

    private static func files(_ total: LiveTotal) -> String {
        guard let files = total.files else { return total.done == 1 ? "1 file done" : "\(total.done) files done" }
        return "\(total.done) of \(files) files done"
    }

    private static func bytes(_ progress: DownloadProgress) -> String {
        let received = padding(ByteCount.text(progress.received), to: 8)
        return progress.total.map { received + "/" + ByteCount.text($0) } ?? received
    }

    private static func phase(_ progress: DownloadProgress) -> String? {
        switch progress.phase {
        case .probing: "connecting"
        case .downloading: nil
        case .verifying: "checking"
        case .finished: "finished"
        }
    }

    /// Share of the file on hand, 0 to 1; nil when the size is unknown.
    private static func share(_ progress: DownloadProgress) -> Double? {
        guard let total = progress.total, progress.phase != .probing else { return nil }
        guard total > 0 else { return 1 }
        return min(1, max(0, Double(progress.received) / Double(total)))
    }

    /// Whole percent, rounded down, so that 100 means all.
    private static func percent(_ progress: DownloadProgress) -> Int? { share(progress).map { Int($0 * 100) } }

    private static func padding(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
