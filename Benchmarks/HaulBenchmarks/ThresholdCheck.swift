/// Runs what the thresholds speak of, and compares.
struct ThresholdCheck {
    private let thresholds: [Threshold]
    private let amounts: [(key: String, value: JSONValue)]
    private let rounds: Int

    /// Reads a file of thresholds.
    ///
    /// - Throws: what is wrong with it.
    init(_ path: String) throws(BenchmarkFailure) {
        let text = FileSystem.text(path)
        guard !text.isEmpty else { throw BenchmarkFailure("'\(path)' can't be read: run in the repository") }
        let value = try JSONReader.value(of: text)
        guard let list = value["thresholds"]?.elements else { throw BenchmarkFailure("'\(path)' has no thresholds") }
        var thresholds: [Threshold] = []
        for item in list { thresholds.append(try Threshold(item)) }
        self.thresholds = thresholds
        if case .object(let members) = value["amounts"] { amounts = members } else { amounts = [] }
        rounds = value["rounds"]?.number.map { Int($0) } ?? 3
    }

    /// Measures and compares; says what came out.
    ///
    /// - Parameters:
    ///   - settings: how; sizes and rounds come from the file.
    ///   - measure: runs a scenario with these contenders and so many rounds, nil where it can't be run here.
    /// - Returns: the results, and whether all thresholds were kept.
    func run(
        _ settings: Settings, _ measure: (Scenario, Settings, [String], Int) throws -> ScenarioResult?
    ) rethrows -> (results: [ScenarioResult], isKept: Bool) {
        var results: [ScenarioResult] = []
        var lines: [String] = []
        var isKept = true
        for scenario in ScenarioCatalog.all
        where settings.scenarios.isEmpty || settings.scenarios.contains(scenario.name) {
            let own = thresholds.filter { $0.scenario == scenario.name }
            guard !own.isEmpty else { continue }
            var names: [String] = []
            for name in own.flatMap({ [$0.contender, $0.base ?? "ideal"] }) {
                if name != "ideal", !names.contains(name) { names.append(name) }
            }
            var adjusted = settings
            adjusted.isQuick = true
            if let amount = amounts.first(where: { $0.key == scenario.name })?.value.number {
                adjusted.size = settings.size ?? Int64(amount) << 20
                adjusted.files = settings.files ?? Int64(amount)
            }
            guard let result = try measure(scenario, adjusted, names, settings.rounds ?? rounds) else {
                lines.append("skipped  \(scenario.name): it can't be run here")
                continue
            }
            results.append(result)
            var again: ScenarioResult?
            for threshold in own {
                var verdict = threshold.verdict(result)
                var remark = ""
                if case .broken(let first) = verdict {
                    // Something else may have kept the machine busy: what is slow is slow the second time, too.
                    if again == nil { again = try measure(scenario, adjusted, names, settings.rounds ?? rounds) }
                    if let again { verdict = threshold.verdict(again) }
                    remark = " (first \(Decimals.text(first, 3)))"
                }
                switch verdict {
                case .kept(let value): lines.append("kept     \(threshold.text): \(Decimals.text(value, 3))\(remark)")
                case .skipped(let why): lines.append("skipped  \(threshold.text): \(why)")
                case .broken(let value):
                    isKept = false
                    lines.append("BROKEN   \(threshold.text): \(Decimals.text(value, 3))\(remark)")
                }
            }
            if let again { results[results.count - 1] = again }
        }
        Platform.print(lines.joined(separator: "\n"))
        return (results, isKept)
    }
}
