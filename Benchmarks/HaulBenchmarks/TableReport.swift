/// A scenario's figures as a table.
enum TableReport {
    /// Heading, table and notes.
    static func text(_ result: ScenarioResult) -> String {
        let base = result.baseline ?? ""
        var table = TextTable([
            "contender", "connections", "wall s, median (min–max)", "÷ \(base)", "CPU s/GiB", "÷ \(base)", "peak MiB",
            "over-fetch", "last 1 % s", "÷ ideal",
        ])
        for entry in result.entries {
            let name = entry.contender.name
            let connections = entry.contender.isAutomatic ? "auto" : "\(entry.connections)"
            guard let wall = entry.statistics(.wall) else {
                table.add([name, connections, "failed"])
                continue
            }
            table.add([
                name, connections, wall.text(3), ratio(result, .wall, name, base),
                entry.statistics(.cpu)?.text(2) ?? "–", ratio(result, .cpu, name, base),
                entry.statistics(.memory).map { Decimals.text($0.median, 0) } ?? "–",
                entry.statistics(.overfetch).map { Decimals.text($0.median, 3) } ?? "–",
                Statistics(entry.good.map(\.tail)).map { Decimals.text($0.median, 3) } ?? "–",
                entry.ideal.map { Decimals.text(wall.median / $0, 2) } ?? "–",
            ])
        }
        var lines = ["\(result.scenario.title) — \(result.amountText)", result.scenario.summary, "", table.text]
        for note in notes(result) { lines += ["", note] }
        return lines.joined(separator: "\n")
    }

    /// What is to be said beside the figures.
    static func notes(_ result: ScenarioResult) -> [String] {
        var notes = result.notes
        for entry in result.entries {
            var failures: [String: Int] = [:]
            for run in entry.runs { if let failure = run.failure { failures[failure, default: 0] += 1 } }
            for (failure, count) in failures.sorted(by: { $0.key < $1.key }) {
                notes.append("\(entry.contender.name): \(count) of \(entry.runs.count) runs failed: \(failure)")
            }
            if let refusals = entry.typical?.server.refusals, refusals > 0 {
                notes.append("\(entry.contender.name): \(refusals) requests were refused in the typical run")
            }
        }
        return notes
    }

    private static func ratio(_ result: ScenarioResult, _ metric: Metric, _ name: String, _ base: String) -> String {
        result.ratios(metric, of: name, to: base).map { Decimals.text($0.median, 2) } ?? "–"
    }
}
