import HaulOrigin

/// The results as a page of its own: bars with whiskers and throughput over time, without scripts or other files.
enum HTMLReport {
    /// The page.
    static func text(_ results: [ScenarioResult], machine: Machine) -> String {
        var colors: [String: Int] = [:]
        for name in results.flatMap({ $0.entries.map(\.contender.name) }) where colors[name] == nil {
            colors[name] = colors.count % 8
        }
        let sections = results.map { section($0, colors) }.joined(separator: "\n")
        let links = results.map { "<a href=\"#\($0.scenario.name)\">\(escaped($0.scenario.title))</a>" }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>haul benchmarks</title>
            <style>
            \(HTMLStyle.text)
            </style>
            </head>
            <body>
            <header>
            <h1>haul benchmarks</h1>
            <p>\(escaped(machine.description)). \(escaped(OriginMoment.httpDate(Platform.calendar))).</p>
            <nav>\(links.joined(separator: " "))</nav>
            </header>
            <main>
            \(sections)
            </main>
            <footer>
            <p>Bars are medians, whiskers reach from the least to the largest value. Throughput is what the server had
            handed to the network, fifty times a second, in the run nearest to the median; it runs ahead of the client by
            what the sockets hold.</p>
            </footer>
            </body>
            </html>

            """
    }

    /// A text as HTML.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
        return escaped
    }

    private static func section(_ result: ScenarioResult, _ colors: [String: Int]) -> String {
        let notes = TableReport.notes(result).map { "<p class=\"note\">\(escaped($0))</p>" }.joined(separator: "\n")
        let base = result.baseline ?? ""
        let lines = result.entries.compactMap { entry -> ThroughputPlot.Line? in
            guard let run = entry.typical else { return nil }
            return .init(name: entry.contender.name, color: colors[entry.contender.name] ?? 0, run: run)
        }
        return """
            <section id="\(result.scenario.name)">
            <h2>\(escaped(result.scenario.title)) <small>\(escaped(result.amountText))</small></h2>
            <p>\(escaped(result.scenario.summary))</p>
            <div class="charts">
            \(bars(result, .wall, colors, digits: 2, base))
            \(bars(result, .cpu, colors, digits: 2, base))
            \(bars(result, .memory, colors, digits: 0, nil))
            </div>
            \(ThroughputPlot(lines: lines).html)
            <div class="scroll">\(table(result))</div>
            \(notes)
            </section>
            """
    }

    private static func bars(
        _ result: ScenarioResult, _ metric: Metric, _ colors: [String: Int], digits: Int, _ base: String?
    ) -> String {
        let most = result.entries.compactMap { $0.statistics(metric)?.most }.max() ?? 1
        func share(_ value: Double) -> String { Decimals.text(max(0, value) / max(most, 1e-9) * 100, 2) }
        let rows = result.entries.map { entry -> String in
            let name = entry.contender.name
            guard let figure = entry.statistics(metric) else {
                return "<div class=\"row\"><span class=\"name\">\(name)</span><span class=\"track\">failed</span></div>"
            }
            let ratio = base.flatMap { result.ratios(metric, of: name, to: $0) }
            let text =
                Decimals.text(figure.median, digits)
                + (ratio.map { " <i>×\(Decimals.text($0.median, 2))</i>" } ?? "")
            let width = share(figure.most - figure.least)
            return """
                <div class="row" title="\(name): \(figure.text(digits))"><span class="name">\(name)</span>\
                <span class="track"><span class="bar c\(colors[name] ?? 0)" style="width:\(share(figure.median))%"></span>\
                <span class="whisker" style="left:\(share(figure.least))%;width:\(width)%"></span></span>\
                <span class="value">\(text)</span></div>
                """
        }
        let caption = metric.title + (base.map { ", × \($0)’s" } ?? "")
        return "<figure><figcaption>\(escaped(caption))</figcaption>\n\(rows.joined(separator: "\n"))\n</figure>"
    }

    private static func table(_ result: ScenarioResult) -> String {
        let rows = result.entries.map { entry -> String in
            let cells = [
                entry.statistics(.wall)?.text(3), entry.statistics(.cpu)?.text(2),
                entry.statistics(.memory)?.text(0), entry.statistics(.overfetch).map { Decimals.text($0.median, 3) },
                Statistics(entry.good.map(\.tail))?.text(3),
                entry.typical.map { "\($0.server.requests)" }, entry.typical.map { "\($0.server.connections)" },
            ].map { "<td>\($0 ?? "–")</td>" }.joined()
            return "<tr><th scope=\"row\">\(entry.contender.name)</th>\(cells)</tr>"
        }
        let heads = ["seconds", "CPU s a GiB", "peak MiB", "sent ÷ size", "last 1 % s", "requests", "connections"]
        return """
            <table><thead><tr><th></th>\(heads.map { "<th scope=\"col\">\($0)</th>" }.joined())</tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody></table>
            """
    }
}
