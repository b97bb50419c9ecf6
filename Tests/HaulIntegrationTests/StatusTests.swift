import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// What hostile and broken servers lead to: one line, the right status, nothing left that should not be.
@Suite(.serialized, .temporaryDirectory, .timeLimit(.minutes(10)))
struct StatusTests {
    /// A server's conduct and the status it must lead to.
    struct Conduct: CustomTestStringConvertible, Sendable {
        var behavior: OriginBehavior
        var status: Int32
        /// What the message must say.
        var says = ""
        /// Whether a partial may stay.
        var keeps = false

        var testDescription: String { "\(behavior)" }
    }

    private static let size: Int64 = 3_000_001

    // swift-format-ignore
    static let conducts: [Conduct] = [
        .init(behavior: .notHTTP, status: 3),
        .init(behavior: .endlessHeaders, status: 3),
        .init(behavior: .hugeHeaders(bytes: 2 << 20), status: 3),
        .init(behavior: .shortBody(missing: 1000), status: 3, keeps: true),
        .init(behavior: .closesBeforeHead(times: .max), status: 3),
        .init(behavior: .refuses(status: 404, times: .max, retryAfter: .none), status: 4, says: "404"),
        .init(behavior: .refuses(status: 403, times: .max, retryAfter: .none), status: 4, says: "403"),
        .init(behavior: .refuses(status: 410, times: .max, retryAfter: .none), status: 4, says: "410"),
        .init(behavior: .refuses(status: 500, times: .max, retryAfter: .none), status: 4, says: "500"),
        .init(behavior: .refuses(status: 503, times: .max, retryAfter: .absurd), status: 4, says: "503"),
        .init(behavior: .authRequired, status: 4, says: "--user"),
        .init(behavior: .redirectLoop, status: 4, says: "redirect"),
        .init(behavior: .redirectToFile, status: 4, says: "not an http or https address"),
        .init(behavior: .redirectToGarbage, status: 4, says: "redirect"),
        .init(behavior: .redirectWithoutLocation, status: 4),
        .init(behavior: .gzipAnyway, status: 4, says: "gzip"),
        .init(behavior: .totalChanges(afterRequests: 1), status: 7, says: "chang", keeps: true),
    ]

    @Test(arguments: conducts)
    func endsInItsStatus(_ conduct: Conduct) async throws {
        let server = try OriginServer(OriginResource("/big.bin", size: Self.size, behavior: conduct.behavior))
        let words = ["-n", "4", "--retry", "1", "-o", "f", server.url(for: "/big.bin")] + Origin.smallSplit
        let outcome = try await Program.run(words)
        #expect(outcome.status == .code(conduct.status), "\(outcome.errorText)")
        let last = outcome.errorText.split(separator: "\n").last ?? ""
        #expect(last.hasPrefix("haul: "))
        #expect(last.contains(conduct.says), "\(last)")
        #expect(outcome.output.isEmpty)
        #expect(!FileContents.exists(Program.file("f")))
        if !conduct.keeps { #expect(Program.names.isEmpty) }
    }

    @Test(arguments: [
        OriginBehavior.noRanges, .chunkedUnknownLength, .closeDelimited, .closesEvery(bytes: 700_000),
        .refuses(status: 503, times: 3, retryAfter: .none), .connectionCap(limit: 2, status: 503, retryAfter: .none),
        .wrongContentRange(shift: 4096), .shortRanges(limit: 300_000), .blockAlignedStart(block: 65_536),
        .headForbidden(status: 405), .headHangs, .redirectChain(hops: 5), .cookieOnRedirect,
        .signedRedirectExpires(requests: 4, lifetime: .seconds(600)),
        .changesContent(OriginChange(.bytes(1_500_000), sizeDelta: 5)),
    ])
    func endsInTheRightFile(_ behavior: OriginBehavior) async throws {
        let resource = OriginResource("/big.bin", size: Self.size, behavior: behavior)
        let server = try OriginServer(resource)
        let words = ["-n", "4", "-o", "f", server.url(for: "/big.bin")] + Origin.smallSplit
        let outcome = try await Program.run(words)
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        var versions = [resource]
        // Whoever asked for everything before the change has the old version, whole.
        if case .changesContent(let change) = behavior { versions.append(change.changed(resource)) }
        let differences = versions.map { FileContents.difference(of: Program.file("f"), from: $0) }
        #expect(differences.contains(nil), "\(differences)")
        #expect(Program.names == ["f"])
    }

    @Test(arguments: [1, 8, 16])
    func connectionsAsAsked(count: Int) async throws {
        let resource = OriginResource("/big.bin", size: 8_000_000)
        let server = try Origin.limited(resource, rate: 4 << 20)
        let outcome = try await Program.run(
            ["--json", "-n", "\(count)", "-o", "f", server.url(for: "/big.bin")] + Origin.smallSplit)
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: resource) == nil)
        // A connection that was cut is seen by the server until its end has arrived there.
        #expect((count...count + 2).contains(server.exchangesPeak))
        #expect(outcome.number("connections") == Int64(count))
    }

    @Test func refusedConnectionIsNetworkFailure() async throws {
        let hole = try OriginServer(OriginResource("/big.bin", size: 1))
        let url = hole.url(for: "/big.bin")
        hole.stop()
        let outcome = try await Program.run("--retry", "1", "-o", "f", url)
        #expect(outcome.status == .code(3))
        #expect(outcome.errorText.contains("refused"), "\(outcome.errorText)")
        #expect(Program.names.isEmpty)
    }

    @Test func connectTimeOutIsKept() async throws {
        let hole = try BlackHole()
        let clock = ContinuousClock()
        let start = clock.now
        let outcome = try await Program.run(
            "--retry", "1", "--connect-timeout", "0.5", "-o", "f", "http://127.0.0.1:\(hole.port)/x")
        #expect(outcome.status == .code(3))
        #expect(clock.now - start < .seconds(6))
        #expect(Program.names.isEmpty)
    }

    @Test func silentServerIsLeftAfterTheStallTime() async throws {
        let resource = OriginResource("/big.bin", size: Self.size, behavior: .stallBeforeHeaders(times: .max))
        let server = try OriginServer(resource)
        let outcome = try await Program.run(
            "--retry", "1", "--stall-timeout", "0.5", "-o", "f", server.url(for: "/big.bin"))
        #expect(outcome.status == .code(3), "\(outcome.errorText)")
        #expect(Program.names.isEmpty)
    }

    @Test func secretsStayWithTheirHost() async throws {
        let resource = OriginResource("/big.bin", size: Self.size, behavior: .redirectCrossHost)
        let server = try OriginServer(resource)
        let words = [
            "-n", "4", "-u", "user:secret", "-H", "X-Token: hush", "-H", "Cookie: id=7", "-H", "Accept-Language: de",
            "-A", "tester", "-o", "f", server.url(for: "/big.bin"),
        ]
        let outcome = try await Program.run(words + Origin.smallSplit)
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: resource) == nil)
        var moved = 0
        for record in server.requests {
            let fields = record.request.fields
            let isGiven = fields.value("Host")?.hasPrefix("127.0.0.1") == true
            if !isGiven { moved += 1 }
            #expect((fields.value("Authorization") != nil) == isGiven)
            #expect((fields.value("X-Token") != nil) == isGiven)
            #expect((fields.value("Cookie") != nil) == isGiven)
            #expect(fields.value("Accept-Language") == "de")
            #expect(fields.value("User-Agent") == "tester")
        }
        #expect(moved > 1)
    }

    @Test func nameAndPasswordOpen() async throws {
        let resource = OriginResource("/big.bin", size: Self.size, behavior: .authRequired)
        let server = try OriginServer(resource)
        let words = ["-n", "4", "-u", "user:secret", "-o", "f", server.url(for: "/big.bin")]
        let outcome = try await Program.run(words + Origin.smallSplit)
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: resource) == nil)
    }

    @Test func refusalKeepsWhatWasPaidFor() async throws {
        var resource = OriginResource("/big.bin", size: Self.size)
        let server = try Origin.limited(resource, rate: 1 << 20, after: Self.size * 2 / 3)
        let words = ["--json", "-n", "4", "-o", "f", server.url(for: "/big.bin")] + Origin.smallSplit
        let process = try Program.start(words)
        try await Waiting.until("bytes") { server.bytesSent > Self.size / 2 || process.hasEnded }
        process.signal(SIGTERM)
        _ = await process.wait()
        resource.behaviors = [.refuses(status: 404, times: .max, retryAfter: .none)]
        server.replace(resource)
        server.limit()
        let refused = try await Program.run(words)
        #expect(refused.status == .code(4), "\(refused.errorText)")
        #expect(Program.names == ["f.haul", "f.haul-journal"])
        resource.behaviors = []
        server.replace(resource)
        server.limit()
        #expect(try await Program.run(words).status == .code(0))
        #expect(FileContents.difference(of: Program.file("f"), from: resource) == nil)
        #expect(server.bytesSent <= Self.size + (1 << 20))
    }

    @Test func timeToTheFirstRequest() async throws {
        let server = try OriginServer(OriginResource("/small", size: 1000))
        var times: [Duration] = []
        let clock = ContinuousClock()
        for round in 0..<5 {
            let start = clock.now
            let process = try Program.start(["-q", "-o", "f\(round)", server.url(for: "/small")])
            try await Waiting.until("a request") { server.requests.count > round || process.hasEnded }
            times.append(clock.now - start)
            #expect(await process.wait().status == .code(0))
        }
        print("process start to first request:", times.map { "\($0)" }.joined(separator: ", "))
    }
}
