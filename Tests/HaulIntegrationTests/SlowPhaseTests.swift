import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// Signals while the system itself keeps the program waiting: name look-up, the final check, the last sync, the rename.
@Suite(.serialized, .temporaryDirectory, .timeLimit(.minutes(10)))
struct SlowPhaseTests {
    private static let resource = OriginResource("/big.bin", size: 3_000_001, seed: 22)
    /// A second, and what a loaded machine adds.
    private static let second = Duration.seconds(5)
    private func start(_ url: String, _ slow: SlowCall) throws -> ProcessRunner {
        try ProcessRunner(
            HaulBinary.path, ["--json", "-n", "2", "-o", "f", url] + Origin.smallSplit, environment: slow.environment,
            directory: TemporaryDirectory.current)
    }

    @Test(arguments: SlowCall.Name.allCases, [SIGINT, SIGTERM, SIGHUP])
    func endsWhateverTheSystemWaitsFor(_ name: SlowCall.Name, _ signal: Int32) async throws {
        let server = try OriginServer(Self.resource)
        let slow = try await SlowCall(name, .seconds(40))
        let host = name == .lookUp ? "origin.invalid" : "127.0.0.1"
        let process = try start("http://\(host):\(server.port)/big.bin", slow)
        try await Waiting.until("\(name)") {
            process.hasEnded || slow.hasBegun && (name == .lookUp || server.bytesSent >= Self.resource.size)
        }
        let start = ContinuousClock().now
        process.signal(signal)
        let (outcome, time) = await Waiting.end(of: process, since: start)
        #expect(time < Self.second, "\(time)")
        #expect(outcome.status == .code(128 + signal), "\(outcome.errorText)")
        #expect(!FileContents.exists(Program.file("f")))

        slow.cleanUp()
        let before = server.bytesSent
        let later = try await Program.run(
            ["--json", "-o", "f", server.url(for: "/big.bin")] + Origin.smallSplit)
        #expect(later.status == .code(0), "\(later.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil)
        #expect(Program.names == ["f"])
        // All bytes had come before the check, and a run that goes on asks for few.
        if name != .lookUp { #expect(server.bytesSent - before <= 1 << 20, "\(server.bytesSent - before)") }
    }

    @Test(arguments: [SlowCall.Name.sync, .rename])
    func secondSignalEndsAtOnceWhatIsStuck(_ name: SlowCall.Name) async throws {
        let server = try OriginServer(Self.resource)
        let slow = try await SlowCall(name, .seconds(40))
        let process = try start(server.url(for: "/big.bin"), slow)
        try await Waiting.until("\(name)") { slow.hasBegun || process.hasEnded }
        process.signal(SIGINT)
        process.signal(SIGTERM)
        let outcome = await process.wait()
        // The last word says that it was the second signal, unless the machine took longer than patience lasts.
        #expect([.code(143), .code(130)].contains(outcome.status), "\(outcome.status) \(outcome.errorText)")
        #expect(!FileContents.exists(Program.file("f")))
    }

    @Test func signalThatComesWhenTheNameIsGivenInterruptsNothing() async throws {
        let server = try OriginServer(Self.resource)
        let slow = try await SlowCall(.rename, .milliseconds(300))
        let process = try start(server.url(for: "/big.bin"), slow)
        try await Waiting.until("the rename") { slow.hasBegun || process.hasEnded }
        process.signal(SIGINT)
        let outcome = await process.wait()
        // A machine so busy that the end takes longer than patience: the file is there, or all of it is kept.
        guard outcome.status == .code(0) else {
            #expect(outcome.status == .code(130))
            return #expect(outcome.errors.isEmpty, "\(outcome.errorText)")
        }
        #expect(outcome.hasEvent("done"))
        #expect(!outcome.errorText.contains("interrupted"), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil)
    }
}
