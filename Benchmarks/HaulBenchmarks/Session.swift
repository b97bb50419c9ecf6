#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One run of the program: a directory of its own, measurements, reports.
struct Session {
    private let settings: Settings
    private let directory: String
    private let machine = Machine()

    /// Makes the directory, which is removed at the end and when a signal ends the program.
    init(_ settings: Settings) throws(BenchmarkFailure) {
        self.settings = settings
        directory = try FileSystem.makeDirectory(in: settings.outputDirectory)
        removeOnSignal()
    }

    /// Measures and reports.
    ///
    /// - Returns: whether everything succeeded and every threshold was kept.
    func run() throws -> Bool {
        defer { FileSystem.remove(directory) }
        Platform.note("haul-bench: \(machine.description), load \(Decimals.text(machine.load, 1))")
        switch settings.mode {
        case .server(let url): return try survey(url)
        case .check: return try check()
        default: return try scenarios()
        }
    }

    private func scenarios() throws -> Bool {
        var results: [ScenarioResult] = []
        for scenario in ScenarioCatalog.all
        where settings.scenarios.isEmpty || settings.scenarios.contains(scenario.name) {
            let names = settings.contenders ?? scenario.contenders ?? Contender.usual
            guard let result = try measure(scenario, settings, names, settings.roundCount(5)) else { continue }
            Platform.print(TableReport.text(result) + "\n")
            results.append(result)
        }
        try report(results)
        return results.allSatisfy { $0.entries.allSatisfy { $0.good.count == $0.runs.count } }
    }

    private func check() throws -> Bool {
        let path = settings.thresholds ?? "Benchmarks/Thresholds/6.3.json"
        let (results, isKept) = try ThresholdCheck(path).run(settings) { scenario, settings, names, rounds in
            try measure(scenario, settings, names, rounds)
        }
        try report(results)
        return isKept
    }

    private func survey(_ url: String) throws -> Bool {
        let result = try ServerSurvey(url, settings, directory: directory).run()
        Platform.print(TableReport.text(result) + "\n\n" + ServerSurvey.verdict(result))
        try report([result])
        return true
    }

    private func measure(
        _ scenario: Scenario, _ settings: Settings, _ names: [String], _ rounds: Int
    ) throws -> ScenarioResult? {
        if case .nginx(let secure) = scenario.server, NginxSite.program(secure: secure) == nil {
            Platform.note("\(scenario.name): skipped, nginx\(secure ? " or openssl" : "") is not installed")
            return nil
        }
        Platform.note("\(scenario.name) …")
        let place = directory + "/" + scenario.name
        FileSystem.makeDirectory(place)
        defer { FileSystem.remove(place) }
        return try Runner(scenario, settings, directory: place).measure(names, rounds: rounds)
    }

    private func report(_ results: [ScenarioResult]) throws(BenchmarkFailure) {
        if let path = settings.json {
            let text = JSONReport.text(results, machine: machine)
            if path == "-" { Platform.write(text, to: 1) } else { try FileSystem.write(text, to: path) }
        }
        if let path = settings.html { try FileSystem.write(HTMLReport.text(results, machine: machine), to: path) }
    }

    private func removeOnSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        Task.detached { [directory, signals] in
            var (waited, number) = (signals, Int32(0))
            sigwait(&waited, &number)
            ChildProgram.killAll()
            FileSystem.remove(directory)
            _exit(128 + number)
        }
    }
}
