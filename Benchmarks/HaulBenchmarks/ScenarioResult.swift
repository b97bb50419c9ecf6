/// What a scenario came to.
struct ScenarioResult: Sendable {
    /// One contender's runs.
    struct Entry: Sendable {
        /// Which.
        let contender: Contender
        /// Connections that it was told to use.
        let connections: Int
        /// Least time that the origin's limits allow, nil where it has none.
        let ideal: Double?
        /// Its runs, in order of rounds.
        var runs: [Run] = []

        /// The runs that count.
        var good: [Run] { runs.filter { $0.failure == nil } }

        /// Middle and ends of a figure.
        func statistics(_ metric: Metric) -> Statistics? { Statistics(good.map(metric.value)) }

        /// The run whose time is nearest to the median.
        var typical: Run? {
            guard let middle = statistics(.wall)?.median else { return nil }
            return good.min { abs($0.wall - middle) < abs($1.wall - middle) }
        }
    }

    /// Which scenario.
    let scenario: Scenario
    /// Bytes, or number of small files.
    var amount: Int64
    /// Contenders, in the order asked for.
    var entries: [Entry]
    /// What was left out, and why.
    var notes: [String] = []

    /// Name of the contender that ratios refer to: curl, else haul with one connection, else the first.
    var baseline: String? {
        for name in ["curl", "haul-1"] where entries.contains(where: { $0.contender.name == name && !$0.good.isEmpty })
        {
            return name
        }
        return entries.first?.contender.name
    }

    /// The contender with a name.
    func entry(_ name: String) -> Entry? { entries.first { $0.contender.name == name } }

    /// Ratios of a figure to another contender's in the same round.
    func ratios(_ metric: Metric, of name: String, to base: String) -> Statistics? {
        guard let entry = self.entry(name), let other = self.entry(base) else { return nil }
        return Statistics(
            entry.good.compactMap { run in
                guard let match = other.good.first(where: { $0.round == run.round }), metric.value(match) > 0 else {
                    return nil
                }
                return metric.value(run) / metric.value(match)
            })
    }

    /// What was fetched, for people.
    var amountText: String {
        if case .small = scenario.task {
            return "\(amount) files, \(Decimals.bytes(scenario.plan(amount).totalSize))"
        }
        return Decimals.bytes(amount)
    }
}
