/// Measures a real server with 1, 2, 4, 8 and 16 connections.
struct ServerSurvey {
    private let url: String
    private let settings: Settings
    private let directory: String

    /// Prepares a survey.
    init(_ url: String, _ settings: Settings, directory: String) {
        self.url = url
        self.settings = settings
        self.directory = directory
    }

    /// Measures.
    ///
    /// - Returns: every run.
    /// - Throws: why a run failed; the others are then not worth the server's trouble.
    func run() throws(BenchmarkFailure) -> ScenarioResult {
        let scenario = Scenario(
            name: "server", title: "A real server", summary: "The library with 1 to 16 connections.", amount: 0,
            quickAmount: 0)
        var result = ScenarioResult(scenario: scenario, amount: 0, entries: [])
        for count in [1, 2, 4, 8, 16] {
            guard let contender = try? Contender("haul-\(count)") else { continue }
            result.entries.append(.init(contender: contender, connections: count, ideal: nil))
        }
        for round in 0..<settings.roundCount(3) {
            for place in result.entries.indices {
                let index = (place + round) % result.entries.count
                let run = try measure(result.entries[index].connections, round: round)
                if let failure = run.failure { throw BenchmarkFailure(failure) }
                result.entries[index].runs.append(run)
                result.amount = run.wanted
            }
        }
        return result
    }

    /// Which number of connections pays, in a sentence.
    static func verdict(_ result: ScenarioResult) -> String {
        let times = result.entries.compactMap { entry in
            entry.statistics(.wall).map { (count: entry.connections, wall: $0.median) }
        }
        guard let best = times.map(\.wall).min(), let one = times.first?.wall,
            // Less than a tenth is not a difference.
            let paying = times.first(where: { $0.wall <= best * 1.1 })
        else { return "Nothing was measured." }
        guard paying.count > 1 else { return "One connection is enough: more gain less than a tenth." }
        let gain = Decimals.text(one / paying.wall, 1)
        return "\(paying.count) connections pay: \(gain) times as fast as one; more gain less than a tenth."
    }

    private func measure(_ connections: Int, round: Int) throws(BenchmarkFailure) -> Run {
        var words = Words()
        words.set("connections", connections)
        words["url"] = url
        words["output"] = directory + "/file"
        words["progress"] = "yes"
        defer { for name in FileSystem.entries(directory) { FileSystem.remove(directory + "/" + name) } }
        var run = Run(round: round)
        let start = Platform.now
        let child = try ChildProgram([Platform.ownExecutable, Main.fetchMode] + words.list)
        var printed: [UInt8] = []
        while Platform.now < start + settings.timeout {
            if let part = child.read(waiting: 20) {
                if part.isEmpty { break }
                printed += part
            }
            child.sampleMemory()
        }
        run.wall = Platform.now - start
        if run.wall >= settings.timeout { child.signal(9) }
        let usage = child.wait()
        (run.user, run.system, run.peakMemory) = (usage.user, usage.system, usage.peakMemory)
        for line in String(decoding: printed, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first == "at", words.count == 3, let time = Double(words[1]), let bytes = Int64(words[2]) {
                run.server.samples.append(.init(time: time - start, bytes: bytes))
            } else if words.first == "done", words.count == 4 {
                (run.wanted, run.sent) = (Int64(words[1]) ?? 0, Int64(words[2]) ?? 0)
            } else {
                run.failure = String(line)
            }
        }
        if let mark = run.server.samples.first(where: { $0.bytes * 100 >= run.wanted * 99 }) {
            run.tail = max(0, run.wall - mark.time)
        }
        if usage.status != 0 { run.failure = run.failure ?? "exit status \(usage.status)" } else { run.failure = nil }
        return run
    }
}
