import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// Signals end the program within a second, whatever it is doing, and cost nothing that was paid for.
@Suite(.serialized, .temporaryDirectory, .timeLimit(.minutes(10)))
struct SignalTests {
    /// What the program does when the signal comes.
    enum Phase: CaseIterable, Sendable {
        case resolving
        case connecting
        case shakingHands
        case waitingForAnswer
        case receiving
        case stalled
        case backingOff
        case toldToWait
    }

    private static let resource = OriginResource("/big.bin", size: 6_000_001, seed: 21)
    /// A second, and what a loaded machine adds.
    private static let second = Duration.seconds(5)

    private func words(_ url: String, _ connections: Int = 4) -> [String] {
        ["--json", "-n", "\(connections)", "-o", "f", url] + Origin.smallSplit
    }

    /// - Returns: whether the program had to be ended without its words, which happens on a machine so busy that a
    ///   second is not enough.
    @discardableResult
    private func check(_ process: ProcessRunner, _ signal: Int32) async throws -> Bool {
        let start = ContinuousClock().now
        process.signal(signal)
        let (outcome, time) = await Waiting.end(of: process, since: start)
        #expect(time < Self.second, "\(time)")
        #expect(outcome.status == .code(128 + signal), "\(outcome.errorText)")
        let isForced = outcome.errors.isEmpty && time > .milliseconds(900)
        #expect(isForced || outcome.errorText.hasPrefix("haul: interrupted"), "\(outcome.errorText)")
        #expect(!FileContents.exists(Program.file("f")))
        return isForced
    }

    /// A look-up that never returns does not hold up what the program says in the end.
    private func checkWhileResolving(_ signal: Int32) async throws {
        let environment = try await SilentResolver.environment()
        for _ in 0..<5 {
            SilentResolver.forget()
            let process = try Program.start(words("http://slow.example/big.bin"), environment: environment)
            try await Waiting.until("the look-up") { SilentResolver.isAsked || process.hasEnded }
            if try await !check(process, signal) { return }
        }
        Issue.record("it waits for the name server each time")
    }

    @Test(arguments: Phase.allCases, [SIGINT, SIGTERM, SIGHUP])
    func endsInEveryPhase(_ phase: Phase, _ signal: Int32) async throws {
        var resource = Self.resource
        switch phase {
        case .resolving: return try await checkWhileResolving(signal)
        case .connecting:
            let hole = try BlackHole()
            let fillers = hole.waiting
            let process = try Program.start(words("http://127.0.0.1:\(hole.port)/big.bin"))
            try await Waiting.until("the connection") { hole.waiting > fillers || process.hasEnded }
            try await check(process, signal)
            return
        case .shakingHands: break
        case .waitingForAnswer: resource.behaviors = [.stallBeforeHeaders(times: .max)]
        case .receiving: resource.behaviors = [.dripFeed(rate: 300_000)]
        case .stalled: resource.behaviors = [.stallMidBody(after: 100_000, times: .max)]
        case .backingOff: resource.behaviors = [.refuses(status: 500, times: .max, retryAfter: .none)]
        case .toldToWait: resource.behaviors = [.refuses(status: 503, times: .max, retryAfter: .seconds(30))]
        }
        let server = try OriginServer(resource)
        // An origin without TLS takes the hello for the beginning of a request.
        let scheme = phase == .shakingHands ? "https" : "http"
        let process = try Program.start(words("\(scheme)://127.0.0.1:\(server.port)/big.bin"))
        try await Waiting.until("\(phase)") {
            if process.hasEnded { return true }
            switch phase {
            case .shakingHands: return server.connectionsAccepted > 0
            case .resolving, .connecting, .waitingForAnswer: return !server.requests.isEmpty
            case .receiving, .stalled: return JSONText.number("received", in: process.eventsSoFar) ?? 0 > 50_000
            // The third wait is of 0.4 seconds at least.
            case .backingOff: return process.eventsSoFar.ranges(of: "\"event\":\"retry\"").count >= 3
            case .toldToWait: return process.eventsSoFar.contains("\"event\":\"retry\"")
            }
        }
        let isForced = try await check(process, signal)
        guard phase == .receiving || phase == .stalled else { return }
        let seen = JSONText.number("received", in: process.eventsSoFar) ?? .max

        server.replace(Self.resource)
        server.limit()
        let outcome = try await Program.run(words(server.url(for: "/big.bin"), 3))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil)
        #expect(Program.names == ["f"])
        // What it said to have is not asked for again.
        if !isForced { #expect(outcome.number("resumed") ?? 0 >= seen, "\(outcome.outputText)") }
    }

    @Test func endsWhileHashing() async throws {
        // A file without blocks takes no room, and a digest of it a good while.
        let path = Program.file("f")
        try FileContents.write([1], to: path, at: 64 << 30)
        let status = try FileStatus(path)
        let digest = "sha-256=" + String(repeating: "0", count: 64)
        let process = try Program.start(["--checksum", digest, "-o", "f", "http://127.0.0.1:1/big.bin"])
        try await Waiting.until("the digest") { process.bytesRead > 64 << 20 || process.hasEnded }
        let start = ContinuousClock().now
        process.signal(SIGINT)
        let (outcome, time) = await Waiting.end(of: process, since: start)
        #expect(time < Self.second, "\(time)")
        #expect(outcome.status == .code(130), "\(outcome.errorText)")
        #expect(try FileStatus(path) == status)
    }

    @Test func secondSignalEndsAtOnce() async throws {
        let server = try Origin.limited(Self.resource, rate: 1 << 20, after: 4_000_000)
        let process = try Program.start(words(server.url(for: "/big.bin")))
        try await Waiting.until("bytes") { JSONText.number("received", in: process.eventsSoFar) ?? 0 > 0 }
        process.signal(SIGINT)
        process.signal(SIGTERM)
        let outcome = await process.wait()
        #expect([.code(130), .code(143)].contains(outcome.status))
        #expect(!FileContents.exists(Program.file("f")))
    }

    /// `timeout(1)` signals the program and then its group: nobody has asked twice.
    @Test func anEchoIsNoSecondSignal() async throws {
        let server = try Origin.limited(Self.resource, rate: 1 << 20, after: 4_000_000)
        let process = try Program.start(words(server.url(for: "/big.bin")))
        try await Waiting.until("bytes") { JSONText.number("received", in: process.eventsSoFar) ?? 0 > 0 }
        let start = ContinuousClock().now
        for _ in 0..<50 { process.signal(SIGTERM) }
        let (outcome, time) = await Waiting.end(of: process, since: start)
        #expect(outcome.status == .code(143))
        let isForced = outcome.errors.isEmpty && time > .milliseconds(900)
        #expect(isForced || outcome.errorText.hasPrefix("haul: interrupted,"), "\(outcome.errorText)")
    }

    @Test func ignoredHangUpStaysIgnored() async throws {
        let server = try Origin.limited(Self.resource, rate: 4 << 20)
        let process = try ProcessRunner(
            "/bin/sh", ["-c", "trap '' HUP; exec \"$0\" \"$@\"", HaulBinary.path] + words(server.url(for: "/big.bin")),
            environment: ["no_proxy": "*"], directory: TemporaryDirectory.current)
        try await Waiting.until("bytes") { JSONText.number("received", in: process.eventsSoFar) ?? 0 > 0 }
        process.signal(SIGHUP)
        let outcome = await process.wait()
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil)
    }
}
