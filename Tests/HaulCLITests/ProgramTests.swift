import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// The built program, run as its users run it.
@Suite(.temporaryDirectory) struct ProgramTests {
    private static let resource = OriginResource("/big.bin", size: 3_000_001, seed: 7)

    private var directory: String { TemporaryDirectory.current }

    private func haul(_ words: String...) async throws -> ProcessRunner.Outcome {
        let runner = try ProcessRunner(HaulBinary.path, words, environment: ["no_proxy": "*"], directory: directory)
        return await runner.wait()
    }

    /// `received` of each progress, and the names of the other events.
    private func events(_ text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            let name = line.dropFirst(#"{"event":""#.count).prefix { $0 != "\"" }
            return name == "progress" ? nil : String(name)
        }
    }

    @Test(arguments: [
        [], [""], ["-n", "0", "http://127.0.0.1:1/x"], ["--frobnicate"], ["-o"], ["-o", "d/", "http://127.0.0.1:1/x"],
        ["-o", "f", "http://127.0.0.1:1/x", "http://127.0.0.1:1/y"], ["ftp://127.0.0.1/x"], ["nonsense"], ["http://"],
        ["--checksum", "sha-256=12", "http://127.0.0.1:1/x"], ["-H", "nonsense", "http://127.0.0.1:1/x"],
        ["--min-split-size", "-1", "http://127.0.0.1:1/x"], ["--stall-timeout", "soon", "http://127.0.0.1:1/x"],
        ["-o", ".", "http://127.0.0.1:1/x"], ["demo", "-q"], ["completions", "csh"], ["http://127.0.0.1:1/\n"],
    ])
    func badArgumentsTouchNothing(_ words: [String]) async throws {
        let outcome = await (try ProcessRunner(HaulBinary.path, words, directory: directory)).wait()
        #expect(outcome.status == .code(2))
        #expect(outcome.output.isEmpty)
        let errors = outcome.errorText
        #expect(errors.hasPrefix("haul: ") && errors.hasSuffix("\n"))
        #expect(errors.filter { $0 == "\n" }.count == 1, "\(errors)")
        #expect(FileContents.names(in: directory).isEmpty)
    }

    @Test func helpGoesToStandardOutput() async throws {
        for word in ["-h", "--help", "-V", "man"] {
            let outcome = try await haul(word)
            #expect(outcome.status == .code(0) && outcome.errors.isEmpty && !outcome.output.isEmpty)
        }
    }

    @Test func fetchesAndSaysSo() async throws {
        let server = try OriginServer(Self.resource)
        let url = server.url(for: "/big.bin")
        let first = try await haul(url)
        #expect(first.status == .code(0) && first.output.isEmpty)
        #expect(first.errorText.hasPrefix("big.bin: 2.86 MiB in "))
        #expect(FileContents.difference(of: "\(directory)/big.bin", from: Self.resource) == nil)
        let again = try await haul(url)
        #expect(again.status == .code(0))
        #expect(again.errorText.hasPrefix("big.bin: already complete, 2.86 MiB"))
        let quiet = try await haul("-q", "-o", "other", url)
        #expect(quiet.status == .code(0) && quiet.output.isEmpty && quiet.errors.isEmpty)
    }

    @Test func eventsAreLinesOnStandardOutput() async throws {
        let server = try OriginServer(Self.resource)
        let outcome = try await haul("--json", "-o", "f", server.url(for: "/big.bin"))
        #expect(outcome.status == .code(0) && outcome.errors.isEmpty)
        let events = events(outcome.outputText)
        #expect(events.first == "start" && events.last == "done" && events.contains("verified"))
        let refused = try await haul("--json", server.url(for: "/none"))
        #expect(refused.status == .code(4))
        #expect(refused.outputText.contains(#""code":"refused","status":404"#))
        #expect(refused.outputText.hasSuffix(#""exit":4}"# + "\n"))
    }

    @Test func everyAddressIsTried() async throws {
        let server = try OriginServer(Self.resource)
        let outcome = try await haul(server.url(for: "/none"), server.url(for: "/big.bin"))
        #expect(outcome.status == .code(4))
        let lines = outcome.errorText.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.contains { $0.hasPrefix("haul: \(server.url(for: "/none")): ") })
        #expect(lines.last?.hasPrefix("haul: 1 of 2 files done, 1 failed; 2.86 MiB in ") == true)
        #expect(FileContents.difference(of: "\(directory)/big.bin", from: Self.resource) == nil)
    }

    @Test func otherFilesStayUntouched() async throws {
        let server = try OriginServer(Self.resource)
        try FileContents.write([1, 2, 3], to: "\(directory)/f")
        let refused = try await haul("-o", "f", server.url(for: "/big.bin"))
        #expect(refused.status == .code(9))
        #expect(FileContents.size(of: "\(directory)/f") == 3)
        let forced = try await haul("-f", "-o", "f", server.url(for: "/big.bin"))
        #expect(forced.status == .code(0))
        #expect(FileContents.difference(of: "\(directory)/f", from: Self.resource) == nil)
    }

    @Test func wrongDigestLeavesNoName() async throws {
        let server = try OriginServer(Self.resource)
        let digest = "md5=d41d8cd98f00b204e9800998ecf8427e"
        let outcome = try await haul("--checksum", digest, "-o", "f", server.url(for: "/big.bin"))
        #expect(outcome.status == .code(5))
        #expect(!FileContents.names(in: directory).contains("f"))
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func signalsKeepWhatWasReceived(_ signal: Int32) async throws {
        var configuration = OriginConfiguration([Self.resource])
        // Minutes, so that a busy machine can't finish before the signal.
        configuration.totalRate = 20_000
        let server = try OriginServer(configuration)
        let url = server.url(for: "/big.bin")
        let runner = try ProcessRunner(
            HaulBinary.path, ["--json", "-o", "f", url], environment: ["no_proxy": "*"], directory: directory)
        while !runner.hasEnded, !String(decoding: runner.outputSoFar, as: UTF8.self).contains(#/"received":[1-9]/#) {
            try await Task.sleep(for: .milliseconds(20))
        }
        let clock = ContinuousClock()
        let start = clock.now
        runner.signal(signal)
        let outcome = await runner.wait()
        // haul itself takes at most one; the rest is for a busy machine.
        #expect(clock.now - start < .seconds(20))
        #expect(outcome.status == .code(128 + signal))
        #expect(outcome.errorText.hasPrefix("haul: interrupted"))
        #expect(!FileContents.names(in: directory).contains("f"))
        server.limit()
        let again = try await haul("--json", "-o", "f", url)
        #expect(again.status == .code(0))
        #expect(!again.outputText.contains(#""resumed":0"#))
        #expect(FileContents.difference(of: "\(directory)/f", from: Self.resource) == nil)
    }
}
