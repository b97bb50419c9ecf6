import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// Bytes to standard output, and parts of files, with the built program.
@Suite(.serialized, .temporaryDirectory, .timeLimit(.minutes(10)))
struct StreamTests {
    private static let resource = OriginResource("/big.bin", size: 12_000_001, seed: 8)

    private func bytes(_ range: Range<Int64>) -> [UInt8] { Self.resource.content.bytes(range) }

    @Test(arguments: ["1", "8", "auto"])
    func bytesComeInOrder(connections: String) async throws {
        let server = try OriginServer(Self.resource)
        let outcome = try await Program.run(
            Origin.smallSplit + ["-v", "-n", connections, "-o", "-", server.url(for: "/big.bin")])
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.output == bytes(0..<Self.resource.size))
        #expect(outcome.errorText.contains("standard output"))
        #expect(connections == "1" || outcome.errorText.contains("up to \(connections == "8" ? 8 : 16) connections"))
        #expect(Program.names.isEmpty)
    }

    @Test(.requiresNginx) func bytesOfNginxComeInOrder() async throws {
        let origin = try await NginxOrigin()
        try FileContents.write(Self.resource.content, 0..<Self.resource.size, to: origin.file("big.bin"))
        let outcome = try await Program.run("-n", "8", "-o", "-", origin.url(for: "big.bin"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.output == bytes(0..<Self.resource.size))
        await origin.stop()
    }

    @Test func quietStreamSaysNothing() async throws {
        let server = try OriginServer(Self.resource)
        let outcome = try await Program.run("-q", "-o", "-", server.url(for: "/big.bin"))
        #expect(outcome.status == .code(0))
        #expect(outcome.output.count == Int(Self.resource.size))
        #expect(outcome.errors.isEmpty, "\(outcome.errorText)")
    }

    @Test func closedPipeIsAQuietEnd() async throws {
        let server = try OriginServer(Self.resource)
        let outcome = try await Program.shell(
            "{ \"$0\" --progress none -n 4 -o - \"$1\"; echo \"status $?\" >&2; } | head -c 1000",
            server.url(for: "/big.bin"))
        #expect(outcome.output == bytes(0..<1000))
        #expect(outcome.errorText == "status 0\n")
    }

    /// Pipes and files of the program's own do not take the place of streams that are closed.
    @Test(arguments: [
        ("-q -o - \"$1\" >&-", 6), ("-q -o - \"$1\" <&- >&-", 6), ("-i - <&-", 2), ("\"$1\" -i - <&-", 2),
        ("--json -o f \"$1\" >&-", 1), ("--json -o f \"$1\" <&- >&-", 1), ("-o f \"$1\" <&- >&- 2>&-", 0),
    ])
    func closedStreamsStayClosed(words: String, status: Int32) async throws {
        let server = try OriginServer(Self.resource)
        let outcome = try await Program.shell("exec timeout 60 \"$0\" \(words)", server.url(for: "/big.bin"))
        #expect(outcome.status == .code(status), "\(outcome.errorText)")
    }

    @Test(arguments: ["1", "4"])
    func slowReaderBoundsWhatIsFetched(connections: String) async throws {
        let large = OriginResource("/large.bin", size: 1 << 30, seed: 2)
        let server = try OriginServer(large)
        let reader = try ProcessRunner(
            "/bin/sh",
            [
                "-c", "\"$0\" -q -n \(connections) -o - \"$1\" | { head -c 1000 >/dev/null; sleep 2; }",
                HaulBinary.path,
                server.url(for: "/large.bin"),
            ], environment: ["no_proxy": "*"], directory: TemporaryDirectory.current)
        let outcome = await reader.wait()
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(server.bytesSent > 32 << 20)
        // The window, and what sockets and pipes hold.
        let sockets = try (Int64(connections) ?? 0) * (Self.largestBuffer("tcp_rmem") + Self.largestBuffer("tcp_wmem"))
        #expect(server.bytesSent < (68 << 20) + sockets, "\(server.bytesSent)")
    }

    /// How many bytes the kernel lets a socket's buffer grow to: tcp(7).
    private static func largestBuffer(_ limit: String) throws -> Int64 {
        let text = String(decoding: try FileContents.read("/proc/sys/net/ipv4/" + limit), as: UTF8.self)
        return text.split { $0.isWhitespace }.last.flatMap { Int64($0) } ?? 0
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func signalEndsItAlsoWhenNobodyReads(signal: Int32) async throws {
        let server = try OriginServer(OriginResource("/large.bin", size: 1 << 30, seed: 2))
        let pipe = Program.file("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let process = try ProcessRunner(
            "/bin/sh",
            ["-c", "exec \"$0\" --progress none -o - \"$1\" > pipe", HaulBinary.path, server.url(for: "/large.bin")],
            environment: ["no_proxy": "*"], directory: TemporaryDirectory.current)
        try await Waiting.until("a full window") { server.bytesSent > 48 << 20 || process.hasEnded }
        let start = ContinuousClock().now
        process.signal(signal)
        let (outcome, time) = await Waiting.end(of: process, since: start)
        #expect(time < .seconds(1), "\(time)")
        #expect(outcome.status == .code(128 + signal))
        #expect(outcome.errorText == "haul: interrupted\n")
    }

    @Test func checksumIsComparedAtTheEnd() async throws {
        let server = try OriginServer(Self.resource)
        let wrong = "sha-256=" + String(repeating: "0", count: 64)
        let outcome = try await Program.run("-q", "--checksum", wrong, "-o", "-", server.url(for: "/big.bin"))
        #expect(outcome.status == .code(5), "\(outcome.errorText)")
        #expect(outcome.output == bytes(0..<Self.resource.size))
        #expect(outcome.errorText.contains("have gone out already"), "\(outcome.errorText)")
    }

    @Test func changeAfterTheFirstByteIsAFailure() async throws {
        var resource = Self.resource
        // Short answers: otherwise all that is missing may have been asked for, and lie in sockets, before the change.
        resource.behaviors = [.closesEvery(bytes: 200_000), .changesContent(OriginChange(.bytes(6_000_000)))]
        let server = try OriginServer(resource)
        let outcome = try await Program.run(
            Origin.smallSplit + ["-q", "-n", "4", "-o", "-", server.url(for: "/big.bin")])
        #expect(outcome.status == .code(7), "\(outcome.errorText)")
        #expect(outcome.output == bytes(0..<Int64(outcome.output.count)))
        #expect(outcome.errorText.contains("had gone out"), "\(outcome.errorText)")
    }

    @Test func serverWithoutRangesIsGoneOnFrom() async throws {
        var resource = Self.resource
        resource.behaviors = [.noRanges, .resetMidBody(after: 5_000_000)]
        let server = try OriginServer(resource)
        let process = try Program.start(["--progress", "none", "-o", "-", server.url(for: "/big.bin")])
        try await Waiting.until("bytes") { process.outputSoFar.count > 1_000_000 || process.hasEnded }
        server.replace(Self.resource)
        let outcome = await process.wait()
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.output == bytes(0..<Self.resource.size))
    }

    @Test func eventsAndBytesDoNotGoTogether() async throws {
        let outcome = try await Program.run("--json", "-o", "-", "http://127.0.0.1:1/f")
        #expect(outcome.status == .code(2))
        #expect(outcome.output.isEmpty)
        #expect(outcome.errorText.contains("standard output"), "\(outcome.errorText)")
    }

    // MARK: - Parts

    @Test(
        arguments: [
            ("1000-2999", 1000..<3000), ("5000000-", 5_000_000..<12_000_001), ("-7", 11_999_994..<12_000_001),
            ("11999999-20000000", 11_999_999..<12_000_001), ("0-0", 0..<1),
        ] as [(String, Range<Int64>)])
    func partIsThatPart(text: String, range: Range<Int64>) async throws {
        let server = try OriginServer(Self.resource)
        let url = server.url(for: "/big.bin")
        let outcome = try await Program.run(Origin.smallSplit + ["-n", "4", "--range", text, "-o", "f", url])
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(try FileContents.read(Program.file("f")) == bytes(range))
        let again = try await Program.run("--range", text, "-o", "f", url)
        #expect(again.errorText.contains("already complete"), "\(again.errorText)")
        let other = try await Program.run("--range", "4-9", "-o", "f", url)
        #expect(other.status == .code(9), "\(other.errorText)")
    }

    @Test func partBeyondTheEndIsRefused() async throws {
        let server = try OriginServer(Self.resource)
        let outcome = try await Program.run("--range", "12000001-", "-o", "f", server.url(for: "/big.bin"))
        #expect(outcome.status == .code(4))
        #expect(outcome.errorText.contains("12000001 bytes"), "\(outcome.errorText)")
        #expect(Program.names.isEmpty)
    }

    @Test func killedPartGoesOnAndIsNotTakenForAnother() async throws {
        let server = try Origin.limited(Self.resource, rate: 4 << 20, after: 6_000_000)
        let url = server.url(for: "/big.bin")
        func words(_ range: String) -> [String] {
            Origin.smallSplit + ["--json", "-n", "4", "--range", range, "-o", "f", url]
        }
        let process = try Program.start(words("1000000-10999999"))
        try await Waiting.until("bytes") { JSONText.number("received", in: process.eventsSoFar) ?? 0 > 4_500_000 }
        process.signal(SIGINT)
        #expect(await process.wait().status == .code(130))
        server.limit()
        let status = try await Program.run("status", "f")
        #expect(status.status == .code(0), "\(status.errorText)")
        try FileContents.write(try FileContents.read(Program.file("f.haul")), to: Program.file("g.haul"))
        try FileContents.write(
            try FileContents.read(Program.file("f.haul-journal")), to: Program.file("g.haul-journal"))
        chmod(Program.file("g.haul"), 0o600)
        chmod(Program.file("g.haul-journal"), 0o600)

        let resumed = try await Program.run(words("1000000-10999999"))
        #expect(resumed.status == .code(0), "\(resumed.errorText)")
        #expect(resumed.number("resumed") ?? 0 > 3_000_000)
        #expect(try FileContents.read(Program.file("f")) == bytes(1_000_000..<11_000_000))

        let other = try await Program.run(
            Origin.smallSplit + ["--json", "--range", "2000000-11999999", "-o", "g", url])
        #expect(other.status == .code(0), "\(other.errorText)")
        #expect(other.number("resumed") == 0)
        #expect(try FileContents.read(Program.file("g")) == bytes(2_000_000..<12_000_000))
    }

    @Test(arguments: ["5-4", "-0", "-", "a-b", "1-2,4-5", "1", "0x1-", ""])
    func badRangesAreUsageErrors(text: String) async throws {
        let outcome = try await Program.run("--range", text, "-o", "f", "http://127.0.0.1:1/f")
        #expect(outcome.status == .code(2))
        #expect(outcome.errorText.contains("--range"), "\(outcome.errorText)")
    }
}
