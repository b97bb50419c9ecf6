import HaulOrigin

/// Every run as JSON.
enum JSONReport {
    /// The report.
    static func text(_ results: [ScenarioResult], machine: Machine) -> String {
        JSONValue.object([
            ("date", .string(OriginMoment.httpDate(Platform.calendar))),
            (
                "machine",
                .object([
                    ("cores", .number(Double(machine.cores))), ("processor", .string(machine.processor)),
                    ("memory", .number(Double(machine.memory))), ("system", .string(machine.system)),
                    ("load", .number(machine.load)),
                ])
            ),
            ("scenarios", .array(results.map(scenario))),
        ]).encoded(depth: 6) + "\n"
    }

    private static func scenario(_ result: ScenarioResult) -> JSONValue {
        .object([
            ("name", .string(result.scenario.name)),
            ("amount", .number(Double(result.amount))),
            ("baseline", result.baseline.map { .string($0) } ?? .null),
            ("notes", .array(TableReport.notes(result).map { .string($0) })),
            ("contenders", .array(result.entries.map { entry($0, result) })),
        ])
    }

    private static func entry(_ entry: ScenarioResult.Entry, _ result: ScenarioResult) -> JSONValue {
        let name = entry.contender.name
        let ratios = Metric.allCases.compactMap { metric -> (key: String, value: JSONValue)? in
            guard let base = result.baseline, let ratio = result.ratios(metric, of: name, to: base) else { return nil }
            return (metric.rawValue, statistics(ratio))
        }
        return .object([
            ("name", .string(name)),
            ("connections", .number(Double(entry.connections))),
            ("ideal", entry.ideal.map { .number($0) } ?? .null),
            (
                "figures",
                .object(
                    Metric.allCases.compactMap { metric in
                        entry.statistics(metric).map { (metric.rawValue, statistics($0)) }
                    })
            ),
            ("ratios", .object(ratios)),
            ("runs", .array(entry.runs.map(run))),
        ])
    }

    private static func statistics(_ statistics: Statistics) -> JSONValue {
        .object([
            ("median", .number(statistics.median)), ("min", .number(statistics.least)),
            ("max", .number(statistics.most)),
        ])
    }

    private static func run(_ run: Run) -> JSONValue {
        .object([
            ("round", .number(Double(run.round))), ("wall", .number(run.wall)), ("user", .number(run.user)),
            ("system", .number(run.system)), ("peakMemory", .number(Double(run.peakMemory))),
            ("wanted", .number(Double(run.wanted))), ("sent", .number(Double(run.sent))), ("tail", .number(run.tail)),
            ("requests", .number(Double(run.server.requests))),
            ("connections", .number(Double(run.server.connections))),
            ("refusals", .number(Double(run.server.refusals))),
            ("serverProcessorTime", .number(run.server.processorTime)),
            ("failure", run.failure.map { .string($0) } ?? .null),
        ])
    }
}
