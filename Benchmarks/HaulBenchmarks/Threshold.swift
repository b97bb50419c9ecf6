/// A limit on a figure, as a ratio, so that it means the same on a fast machine and a slow one.
struct Threshold {
    /// What became of it.
    enum Verdict {
        case kept(Double)
        case broken(Double)
        case skipped(String)
    }

    /// Scenario that is run.
    let scenario: String
    /// Contender whose figure it is.
    let contender: String
    /// Which figure.
    let metric: Metric
    /// Contender whose figure in the same round it is divided by, `ideal` for the least time that the origin allows;
    /// nil for the figure itself.
    let base: String?
    /// The largest value that is right.
    let most: Double

    /// Reads one.
    ///
    /// - Throws: what is wrong with it.
    init(_ value: JSONValue) throws(BenchmarkFailure) {
        guard let scenario = value["scenario"]?.text, let contender = value["contender"]?.text,
            let metric = value["metric"]?.text.flatMap(Metric.init(rawValue:)), let most = value["most"]?.number
        else { throw BenchmarkFailure("a threshold needs scenario, contender, metric and most") }
        guard ScenarioCatalog.all.contains(where: { $0.name == scenario }) else {
            throw BenchmarkFailure("a threshold names scenario '\(scenario)', which there is not")
        }
        self.scenario = scenario
        self.contender = contender
        self.metric = metric
        self.most = most
        base = value["of"]?.text
    }

    /// Whether a result keeps it: the median of the rounds decides.
    func verdict(_ result: ScenarioResult) -> Verdict {
        guard let entry = result.entry(contender) else { return .skipped("\(contender) is not installed") }
        guard entry.good.count == entry.runs.count, let own = entry.statistics(metric) else { return .broken(.nan) }
        let value: Double
        switch base {
        case nil: value = own.median
        case "ideal":
            guard let ideal = entry.ideal else { return .skipped("there is no ideal") }
            value = own.median / ideal
        case .some(let base):
            guard result.entry(base) != nil else { return .skipped("\(base) is not installed") }
            guard let ratio = result.ratios(metric, of: contender, to: base) else {
                return .skipped("no round of \(base) succeeded")
            }
            value = ratio.median
        }
        return value <= most ? .kept(value) : .broken(value)
    }

    /// What it says, for people.
    var text: String {
        let divisor = base.map { $0 == "ideal" ? " ÷ ideal" : " ÷ \($0)'s" } ?? ""
        return "\(scenario): \(contender)'s \(metric.title)\(divisor) ≤ \(Decimals.short(most))"
    }
}
