import HaulOrigin

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Runs the contenders of one scenario, round after round.
struct Runner {
    private let scenario: Scenario
    private let amount: Int64
    private let settings: Settings
    private let directory: String
    private let site: NginxSite?
    private let digest: String?
    private let paths: [String]

    /// Prepares a scenario: what nginx serves, and the digest to expect.
    ///
    /// - Parameters:
    ///   - scenario: which.
    ///   - settings: how.
    ///   - directory: an empty directory for everything.
    /// - Throws: why the scenario can't be prepared.
    init(_ scenario: Scenario, _ settings: Settings, directory: String) throws(BenchmarkFailure) {
        self.scenario = scenario
        self.settings = settings
        self.directory = directory
        amount = settings.amount(of: scenario)
        if case .nginx(let secure) = scenario.server {
            site = try NginxSite(directory + "/site", size: amount, secure: secure)
        } else {
            site = nil
        }
        if case .digest = scenario.task { digest = Self.digest(size: amount) } else { digest = nil }
        if case .small = scenario.task {
            paths = (0..<Int(amount)).map { "/" + OriginPlan.smallName($0) }
        } else {
            paths = [OriginPlan.path]
        }
    }

    /// Measures.
    ///
    /// - Parameters:
    ///   - names: contenders; those that are not installed are noted.
    ///   - rounds: how often each runs.
    /// - Returns: every run.
    /// - Throws: which contender there is not.
    func measure(_ names: [String], rounds: Int) throws -> ScenarioResult {
        var result = ScenarioResult(scenario: scenario, amount: amount, entries: [])
        for name in names {
            let contender = try Contender(name)
            guard contender.program != nil else {
                result.notes.append("\(name) is not installed")
                continue
            }
            if case .small = scenario.task, contender.tool == .axel {
                result.notes.append("axel takes one file at a time")
                continue
            }
            let connections = contender.connections(in: scenario, standard: settings.connections)
            let plan = scenario.plan(amount)
            var bytes = plan.totalSize
            if case .resume = scenario.task { bytes /= 2 }
            let ideal = plan.ideal(connections: connections, bytes: bytes)
            result.entries.append(.init(contender: contender, connections: connections, ideal: ideal))
        }
        for round in 0..<rounds {
            for place in result.entries.indices {
                // Each round begins with another contender: none has the first or the last place always.
                let index = (place + round) % result.entries.count
                let entry = result.entries[index]
                // Whoever took too long once is not waited for again.
                if entry.runs.contains(where: \.isLate) { continue }
                let run = measure(entry.contender, entry.connections, round: round)
                if let failure = run.failure { Platform.note("  \(entry.contender.name): \(failure)") }
                result.entries[index].runs.append(run)
            }
        }
        return result
    }

    private func measure(_ contender: Contender, _ connections: Int, round: Int) -> Run {
        var run = Run(round: round)
        let output = directory + "/out"
        FileSystem.makeDirectory(output)
        defer {
            FileSystem.remove(output)
            FileSystem.remove(output + ".list")
        }
        // Only the contender with several connections is handicapped: a ratio between equals would notice nothing.
        let isHandicapped = contender.tool == .haul && connections > 1
        let handicap = isHandicapped ? settings.handicap : nil
        var job = FetchJob(
            base: "", paths: paths, directory: output, connections: connections, digest: digest,
            trustFile: site?.isSecure == true ? site?.trustFile : nil, handicap: handicap)
        if case .small = scenario.task { job.isBatch = true }
        var plan = scenario.plan(amount)
        plan = handicap?.plan(plan) ?? plan
        run.wanted = plan.totalSize
        do throws(BenchmarkFailure) {
            if case .resume = scenario.task {
                run.sent = try interrupt(contender, &job, &plan)
                job.resumes = true
            }
            Platform.touchMemory(run.wanted + run.wanted / 4)
            let server: any BenchmarkServer
            if let site { server = try NginxServer(site) } else { server = try EmbeddedOrigin(plan) }
            job.base = server.base
            try measure(contender, job, server, &run)
            run.failure = run.failure ?? check(output)
        } catch {
            run.failure = error.message
        }
        return run
    }

    private func measure(
        _ contender: Contender, _ job: FetchJob, _ server: any BenchmarkServer, _ run: inout Run
    ) throws(BenchmarkFailure) {
        let words = try ContenderCommand.words(contender, contender.program ?? "", job)
        let start = Platform.now
        let child = try ChildProgram(words)
        let (printed, isLate) = follow(child, server, until: start + settings.timeout) { false }
        run.wall = Platform.now - start
        let usage = child.wait()
        run.server = server.finish()
        (run.user, run.system, run.peakMemory) = (usage.user, usage.system, usage.peakMemory)
        run.tail = Self.tail(run.server, of: run.wanted - run.sent, end: start + run.wall)
        run.sent += run.server.bytes
        run.server.samples = run.server.samples.map { .init(time: $0.time - start, bytes: $0.bytes) }
        run.isLate = isLate
        if isLate { run.failure = "ended after \(Decimals.text(settings.timeout, 0)) s" }
        guard usage.status != 0, run.failure == nil else { return }
        let line = String(decoding: printed, as: UTF8.self).split(separator: "\n").last ?? ""
        run.failure = "exit status \(usage.status)" + (line.isEmpty ? "" : ": \(line)")
    }

    /// Watches a process until it ends.
    ///
    /// - Returns: the end of what it printed, and whether it took too long.
    private func follow(
        _ child: ChildProgram, _ server: any BenchmarkServer, until deadline: Double, stopsWhen: () -> Bool
    ) -> (printed: [UInt8], isLate: Bool) {
        var printed: [UInt8] = []
        var isLate = false
        while true {
            if let part = child.read(waiting: 10) {
                if part.isEmpty {
                    server.sample()
                    return (printed, isLate)
                }
                printed = (printed + part).suffix(1000)
                continue
            }
            child.sampleMemory()
            server.sample()
            if stopsWhen() {
                child.signal(SIGINT)
                Platform.sleep(milliseconds: 5)
            }
            if Platform.now > deadline {
                isLate = true
                child.signal(SIGKILL)
            }
        }
    }

    /// Runs a contender until half was sent, and interrupts it as Ctrl-C does.
    ///
    /// - Returns: bytes that the origin sent.
    private func interrupt(
        _ contender: Contender, _ job: inout FetchJob, _ plan: inout OriginPlan
    ) throws(BenchmarkFailure) -> Int64 {
        var slow = plan
        slow.connectionRate = nil
        slow.totalRate = 100 << 20
        let origin = try EmbeddedOrigin(slow)
        // The second origin has the same address.
        plan.port = origin.port
        job.base = origin.base
        let half = plan.size / 2
        let child = try ChildProgram(ContenderCommand.words(contender, contender.program ?? "", job))
        var isStopped = false
        _ = follow(child, origin, until: Platform.now + settings.timeout) {
            guard !isStopped, origin.bytesSent >= half else { return false }
            isStopped = true
            return true
        }
        _ = child.wait()
        return origin.finish().bytes
    }

    /// Compares the results with the origin's content.
    private func check(_ output: String) -> String? {
        guard case .small = scenario.task else {
            return FileSystem.difference(output + OriginPlan.path, from: OriginPlan.content, size: amount)
        }
        for index in 0..<Int(amount) {
            let path = output + "/" + OriginPlan.smallName(index)
            let size = OriginPlan.smallSize(index)
            if let wrong = FileSystem.difference(path, from: OriginPlan.smallContent(index), size: size) {
                return OriginPlan.smallName(index) + ": " + wrong
            }
        }
        return nil
    }

    /// Seconds from the moment when 99 % of the bytes had been sent.
    private static func tail(_ log: ServerLog, of size: Int64, end: Double) -> Double {
        let mark = Double(size) * 0.99
        var before: ServerLog.Sample?
        for sample in log.samples {
            if Double(sample.bytes) >= mark {
                guard let before, sample.bytes > before.bytes else { return max(0, end - sample.time) }
                let share = (mark - Double(before.bytes)) / Double(sample.bytes - before.bytes)
                return max(0, end - (before.time + share * (sample.time - before.time)))
            }
            before = sample
        }
        return 0
    }

    private static func digest(size: Int64) -> String {
        var digest = SHA256()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while true {
            let count = Int(min(Int64(buffer.count), size - offset))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            OriginPlan.content.fill(part, from: offset)
            offset += Int64(count)
            if offset >= size { return digest.finish(UnsafeRawBufferPointer(part)) }
            digest.update(UnsafeRawBufferPointer(part))
        }
    }
}
