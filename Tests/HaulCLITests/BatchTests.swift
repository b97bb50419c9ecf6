import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// Many files at once, by the built program.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10))) struct BatchTests {
    private var directory: String { TemporaryDirectory.current }

    private func runner(_ words: [String], input: String = "") throws -> ProcessRunner {
        try ProcessRunner(
            HaulBinary.path, words, environment: ["no_proxy": "*"], directory: directory, input: Array(input.utf8))
    }

    private func haul(_ words: String..., input: String = "") async throws -> ProcessRunner.Outcome {
        await (try runner(words, input: input)).wait()
    }

    private func resources(_ count: Int, size: Int64 = 5000) -> [OriginResource] {
        (0..<count).map { OriginResource("/f\($0).bin", size: size + Int64($0), seed: UInt64($0 + 1)) }
    }

    private func write(_ text: String, to name: String) throws {
        try FileContents.write(Array(text.utf8), to: "\(directory)/\(name)")
    }

    @Test func listsFromStandardInput() async throws {
        let resources = resources(40)
        let server = try OriginServer(OriginConfiguration(resources))
        let list = resources.map { server.url(for: $0.path) }.joined(separator: "\n")
        let outcome = try await haul("-i", "-", "-j", "8", input: list)
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("haul: 40 of 40 files done; "))
        for resource in resources {
            #expect(FileContents.difference(of: directory + resource.path, from: resource) == nil)
        }
        #expect(server.requests.count == 40)
    }

    @Test func optionsOfItems() async throws {
        var second = OriginResource("/b.bin", size: 70_000, seed: 2)
        second.lastModified = nil
        let resources = [OriginResource("/a.bin", size: 5000, seed: 1), second]
        let server = try OriginServer(OriginConfiguration(resources))
        mkdir("\(directory)/sub", 0o755)
        try write(
            """
            # two files
            \(server.url(for: "/a.bin"))
              out=x.bin
              header=X-Test: one
              user-agent=tester/1
              referer=http://r/
            \(server.url(for: "/b.bin"))
              dir=sub
              gid=12
              split=2
            """, to: "list")
        let outcome = try await haul("-i", "list")
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("haul: list:9: unknown option 'gid' is passed over"))
        #expect(FileContents.difference(of: "\(directory)/x.bin", from: resources[0]) == nil)
        #expect(FileContents.difference(of: "\(directory)/sub/b.bin", from: second) == nil)
        let fields = server.requests.first { $0.request.target == "/a.bin" }?.request.fields
        let sent = Set((fields ?? []).map { "\($0.name): \($0.value)" })
        #expect(sent.isSuperset(of: ["X-Test: one", "User-Agent: tester/1", "Referer: http://r/"]))
    }

    @Test func brokenLinesAreNamedAndTheRestGoesOn() async throws {
        let resource = OriginResource("/a.bin", size: 5000, seed: 1)
        let server = try OriginServer(resource)
        let url = server.url(for: "/a.bin")
        try write("ftp://h/x\n\(url)\n  checksum=md5=1\n\(url)\n  out=y\n", to: "list")
        let outcome = try await haul("-i", "list")
        #expect(outcome.status == .code(2))
        let lines = outcome.errorText.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("haul: list:1: ") } && lines.contains { $0.hasPrefix("haul: list:3: ") })
        #expect(lines.last?.hasPrefix("haul: 1 of 3 files done, 2 failed; ") == true, "\(outcome.errorText)")
        #expect(FileContents.difference(of: "\(directory)/y", from: resource) == nil)
        #expect(!FileContents.exists("\(directory)/a.bin"))
    }

    @Test func endlessAndBinaryListsEnd() async throws {
        var random = SeededRandom(seed: 1)
        let bytes = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        try FileContents.write(bytes, to: "\(directory)/list")
        let outcome = try await haul("-i", "list")
        #expect(outcome.status == .code(2))
        #expect(outcome.errorText.contains(": further lines that can't be used are only counted: "))
        let endless = try await haul("-i", "/dev/zero")
        #expect(endless.status == .code(2))
        #expect(endless.errorText.hasPrefix("haul: /dev/zero:1: the line has no end"), "\(endless.errorText)")
        #expect(outcome.errorText.split(separator: "\n").count < 120)
        let missing = try await haul("-i", "none")
        #expect(missing.status == .code(2))
        #expect(missing.errorText.hasPrefix("haul: can't read 'none': "))
    }

    /// However many lines can't be used, the rest is fetched.
    @Test(arguments: [99, 100, 101, 5000]) func manyBrokenLinesAreCounted(_ count: Int) async throws {
        let resources = resources(2)
        let server = try OriginServer(OriginConfiguration(resources))
        let (first, last) = (server.url(for: resources[0].path), server.url(for: resources[1].path))
        let broken = (0..<count).map { "ftp://h/\($0)" }
        try write(([first] + broken + [last]).joined(separator: "\n"), to: "list")
        for more in [[], ["--json"]] {
            let outcome = await (try runner(["-i", "list"] + more)).wait()
            #expect(outcome.status == .code(2), "\(outcome.errorText)")
            let lines = outcome.errorText.split(separator: "\n")
            let summary =
                "haul: 2 of \(count + 2) files done, \(more.isEmpty ? "" : "2 of them before, ")\(count) failed; "
            #expect(lines.last?.hasPrefix(summary) == true, "\(lines.suffix(3))")
            #expect(lines.count { $0.contains("ftp://h/") } == min(count, 100), "\(lines)")
            let notes = lines.filter { $0.contains("further lines that can't be used are only counted") }
            #expect(notes.count == (count > 100 ? 1 : 0))
            #expect(notes.allSatisfy { $0.hasPrefix("haul: list:102: ") }, "\(notes)")
            let events = outcome.outputText.split(separator: "\n")
            if !more.isEmpty {
                #expect(events.count { $0.hasPrefix(#"{"event":"error""#) } == min(count, 100))
                #expect(events.count { $0.hasPrefix(#"{"event":"notice""#) } == notes.count)
            }
        }
        #expect(FileContents.difference(of: "\(directory)\(resources[1].path)", from: resources[1]) == nil)
    }

    /// What is no list and never ends is read on in little memory, and a signal ends it.
    @Test func endlessGarbageIsReadInLittleMemory() async throws {
        let runner = try runner(["-i", "/dev/urandom"])
        // The program itself takes some, and more with a sanitizer.
        var peaks: [Int] = []
        for amount in [2 << 20, 18 << 20] {
            while try fact("rchar", "io", of: runner.pid) < amount {
                try #require(!runner.hasEnded)
                try await Task.sleep(for: .milliseconds(20))
            }
            peaks.append(try fact("VmHWM", "status", of: runner.pid))
        }
        #expect(peaks[1] - peaks[0] < 8 << 10, "\(peaks)")
        runner.signal(SIGINT)
        let outcome = await runner.wait()
        #expect(outcome.status == .code(2), "\(outcome.errorText.suffix(300))")
        #expect(outcome.errorText.split(separator: "\n").count < 110)
    }

    /// A number in a file of `/proc` about a process.
    private func fact(_ name: String, _ file: String, of pid: pid_t) throws -> Int {
        let text = String(decoding: try FileContents.read("/proc/\(pid)/\(file)"), as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(name + ":") })
        return try #require(line.split { !$0.isNumber }.first.flatMap { Int($0) })
    }

    @Test func duplicatesAreFetchedOnce() async throws {
        let resource = OriginResource("/a.bin", size: 5000, seed: 1)
        let server = try OriginServer(resource)
        let url = server.url(for: "/a.bin")
        let outcome = try await haul("-i", "-", input: Array(repeating: url, count: 50).joined(separator: "\n"))
        #expect(outcome.status == .code(0))
        #expect(outcome.errorText.contains("haul: 50 of 50 files done, 49 asked for twice; 4.88 KiB in "))
        #expect(server.requests.count == 1)
        #expect(FileContents.names(in: directory) == ["a.bin"])
    }

    @Test func namesThatClashGetNumbersAndKeepThem() async throws {
        var resources = resources(4)
        for index in resources.indices { resources[index].path = "/\(index)/a.tar.gz" }
        resources += (0..<3).map { index in
            var resource = OriginResource("/get/\(index)", size: 3000 + Int64(index), seed: UInt64(9 + index))
            resource.disposition = "attachment; filename=\"same.txt\""
            return resource
        }
        let server = try OriginServer(OriginConfiguration(resources))
        let words = ["-j", "7"] + resources.map { server.url(for: $0.path) }
        for run in 1...3 {
            let outcome = await (try runner(words)).wait()
            #expect(outcome.status == .code(0), "\(outcome.errorText)")
            #expect(
                FileContents.names(in: directory).sorted() == [
                    "a (2).tar.gz", "a (3).tar.gz", "a (4).tar.gz", "a.tar.gz", "same (2).txt", "same (3).txt",
                    "same.txt",
                ], "run \(run)")
        }
        #expect(FileContents.difference(of: "\(directory)/a.tar.gz", from: resources[0]) == nil)
        for index in 1..<4 {
            #expect(FileContents.difference(of: "\(directory)/a (\(index + 1)).tar.gz", from: resources[index]) == nil)
        }
        let sizes = ["same.txt", "same (2).txt", "same (3).txt"].map { FileContents.size(of: "\(directory)/\($0)") }
        #expect(Set(sizes) == [3000, 3001, 3002])
    }

    @Test func failuresAreNamedAndTheFirstCounts() async throws {
        let resources = resources(6)
        let server = try OriginServer(OriginConfiguration(resources))
        try write("mine", to: "f3.bin")
        var list = resources.map { server.url(for: $0.path) }
        list.insert(server.url(for: "/none"), at: 0)
        let outcome = try await haul("--json", "-j", "1", "-i", "-", input: list.joined(separator: "\n"))
        #expect(outcome.status == .code(4))
        let lines = outcome.errorText.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("haul: \(list[0]): HTTP 404") && lines[1].contains("f3.bin"))
        #expect(lines[2].hasPrefix("haul: 5 of 7 files done, 2 failed; "))
        let events = outcome.outputText.split(separator: "\n")
        for url in list {
            let own = events.filter { $0.contains("\"url\":\"\(url)\"") }
            #expect(own.last?.contains(#""event":"done""#) == true || own.last?.contains(#""event":"error""#) == true)
        }
        #expect(FileContents.size(of: "\(directory)/f3.bin") == 4)
    }

    @Test func aRunThatWasKilledFetchesOnlyTheRest() async throws {
        let resources = resources(30, size: 40_000)
        var configuration = OriginConfiguration(resources)
        configuration.totalRate = 400_000
        let server = try OriginServer(configuration)
        try write(resources.map { server.url(for: $0.path) }.joined(separator: "\n"), to: "list")
        let runner = try runner(["-i", "list", "-j", "4"])
        while FileContents.names(in: directory).count(where: { $0.hasSuffix(".bin") }) < 8 {
            try #require(!runner.hasEnded)
            try await Task.sleep(for: .milliseconds(10))
        }
        runner.signal(SIGKILL)
        _ = await runner.wait()
        let finished = FileContents.names(in: directory).count { $0.hasSuffix(".bin") }
        server.limit()
        let before = server.requests.count
        let outcome = try await haul("-i", "list", "-j", "4")
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("haul: 30 of 30 files done, \(finished) of them before; "))
        // One request a file, and what is on hand is only compared.
        #expect(server.requests.count - before == 30)
        for resource in resources {
            #expect(FileContents.difference(of: directory + resource.path, from: resource) == nil)
        }
        #expect(!FileContents.names(in: directory).contains { $0.hasSuffix(".haul") })
    }

    @Test func aSignalEndsABatch() async throws {
        var configuration = OriginConfiguration(resources(20, size: 400_000))
        configuration.totalRate = 100_000
        let server = try OriginServer(configuration)
        let urls = (0..<20).map { server.url(for: "/f\($0).bin") }
        let runner = try runner(["-j", "4"] + urls)
        while server.requests.count < 4 {
            try #require(!runner.hasEnded)
            try await Task.sleep(for: .milliseconds(10))
        }
        runner.signal(SIGINT)
        let outcome = await runner.wait()
        #expect(outcome.status == .code(130))
        let lines = outcome.errorText.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("haul: interrupted") }, "\(outcome.errorText)")
        #expect(lines.last?.hasPrefix("haul: 0 of 20 files done, ") == true)
    }

    @Test(.requiresNginx) func manySmallFilesFromNginx() async throws {
        let nginx = try await NginxOrigin()
        var random = SeededRandom(seed: 3)
        var list = ""
        for index in 0..<300 {
            let size = Int.random(in: 0...64_000, using: &random)
            try FileContents.write(
                (0..<size).map { UInt8(truncatingIfNeeded: $0 &* (index + 1)) }, to: nginx.file("s\(index)"))
            list += nginx.url(for: "s\(index)") + "\n"
        }
        let outcome = try await haul("-i", "-", "-j", "16", input: list)
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("haul: 300 of 300 files done; "))
        for index in 0..<300 {
            #expect(
                FileContents.size(of: "\(directory)/s\(index)") == FileContents.size(of: nginx.file("s\(index)")))
        }
    }
}
