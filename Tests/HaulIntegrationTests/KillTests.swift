import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// A process that dies at any moment loses a second's receipts at most.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct KillTests {
    /// A moment to die at, and what goes on afterwards.
    struct Death: CustomTestStringConvertible, Sendable {
        /// After which part of the file's bytes were sent, in percent.
        var percent: Int
        /// Connections of the run that dies.
        var connections: Int
        /// Connections of the run that goes on.
        var later: Int

        var testDescription: String { "\(percent) %, \(connections) then \(later) connections" }
    }

    private static let rate: Int64 = 2 << 20
    private static let resource = OriginResource("/big.bin", size: 8_000_001, seed: 11)

    private static let deaths: [Death] = {
        var random = SeededRandom(seed: 2026)
        return (0..<10).map { index in
            Death(
                percent: Int.random(in: 3...93, using: &random), connections: [8, 4, 1, 16][index % 4],
                later: index.isMultiple(of: 2) ? [8, 4, 1, 16][index % 4] : [2, 16, 3, 1][index % 4])
        }
    }()

    private func words(_ connections: Int, _ url: String) -> [String] {
        ["--json", "-n", "\(connections)", "-o", "f", url] + Origin.smallSplit
    }

    @Test(arguments: deaths)
    func killedAtAnyMoment(_ death: Death) async throws {
        let resource = Self.resource
        let moment = resource.size * Int64(death.percent) / 100
        let server = try Origin.limited(resource, rate: Self.rate, after: moment + (256 << 10))
        let url = server.url(for: "/big.bin")
        let doomed = try Program.start(words(death.connections, url))
        try await Waiting.until("\(death.percent) %") { server.bytesSent >= moment || doomed.hasEnded }
        doomed.signal(SIGKILL)
        #expect(await doomed.wait().status == .signal(SIGKILL))
        #expect(!FileContents.exists(Program.file("f")))
        let before = server.bytesSent

        server.replace(resource)
        server.limit()
        let outcome = try await Program.run(words(death.later, url))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: resource) == nil)
        #expect(Program.names == ["f"])
        // A second's worth, what may lie in the sockets, and what is compared of the old.
        let allowed = Self.rate + 16 * (64 << 10) + (64 << 10)
        #expect(server.bytesSent <= resource.size + allowed, "\(before) bytes of \(server.bytesSent)")
    }

    @Test(arguments: 0..<5)
    func killedAtTheEnd(round: Int) async throws {
        let resource = Self.resource
        // Several seconds: what came in the last one may be fetched again, and it must not be all.
        let server = try Origin.limited(resource, rate: Self.rate)
        let url = server.url(for: "/big.bin")
        let doomed = try Program.start(words(4, url))
        // From three quarters of a second before the end to the moments behind it.
        let moment = resource.size - Int64(max(0, 3 - round)) * 500_000
        try await Waiting.until("the end") { server.bytesSent >= moment || doomed.hasEnded }
        doomed.signal(SIGKILL)
        _ = await doomed.wait()
        if FileContents.exists(Program.file("f")) {
            #expect(FileContents.difference(of: Program.file("f"), from: resource) == nil)
        }
        let outcome = try await Program.run(words(4, url))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: resource) == nil)
        #expect(Program.names == ["f"])
        #expect(outcome.number("received") ?? 0 < resource.size)
    }

    @Test func killedTwiceAndInterruptedOnce() async throws {
        let resource = Self.resource
        let server = try Origin.limited(resource, rate: Self.rate, after: resource.size / 4)
        let url = server.url(for: "/big.bin")
        for (round, signal) in [SIGKILL, SIGINT, SIGKILL].enumerated() {
            let doomed = try Program.start(words(8, url))
            let moment = Int64(round) * resource.size / 4 + resource.size / 5
            try await Waiting.until("a quarter") { server.bytesSent >= moment || doomed.hasEnded }
            doomed.signal(signal)
            _ = await doomed.wait()
            server.limit(rate: Self.rate, silentAfter: resource.size / 4)
        }
        server.replace(resource)
        server.limit()
        let outcome = try await Program.run(words(8, url))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: resource) == nil)
        let allowed = 2 * Self.rate + 3 * (1 << 20)
        #expect(server.bytesSent <= resource.size + allowed)
    }

    @Test func flippedByteIsFoundAndOnlyItsRangeFetched() async throws {
        let resource = Self.resource
        let moment = resource.size * 2 / 3
        let server = try Origin.limited(resource, rate: Self.rate, after: moment + (256 << 10))
        let url = server.url(for: "/big.bin")
        let doomed = try Program.start(words(4, url))
        try await Waiting.until("two thirds") { server.bytesSent >= moment || doomed.hasEnded }
        doomed.signal(SIGKILL)
        _ = await doomed.wait()
        let earlier = server.requests.count
        let path = Program.file("f.haul")
        let victim: Int64 = 100_000
        try FileContents.write([~resource.content.byte(at: victim)], to: path, at: victim)

        server.replace(resource)
        server.limit()
        let outcome = try await Program.run(words(4, url))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.hasEvent("notice"))
        #expect(FileContents.difference(of: Program.file("f"), from: resource) == nil)
        // Records of half a second at most: the bad one is fetched again, not the file.
        #expect(server.bytesSent <= resource.size + 2 * Self.rate)
        #expect(
            server.requests.dropFirst(earlier).contains { $0.range?.hasPrefix("bytes=0-") == true },
            "\(server.requests.map(\.range))")
    }

    @Test func wrongChecksumAndThenTheRightOne() async throws {
        let resource = Self.resource
        let server = try OriginServer(resource)
        let url = server.url(for: "/big.bin")
        let wrong = try await Program.run(
            ["--checksum", "sha-256=" + String(repeating: "0", count: 64)] + words(4, url))
        #expect(wrong.status == .code(5))
        #expect(!FileContents.exists(Program.file("f")))
        try FileContents.write(resource.content, 0..<resource.size, to: Program.file("model"))
        let sum = try await ProcessRunner.check("/usr/bin/sha256sum", [Program.file("model")])
        let digest = String(sum.outputText.prefix(64))
        let right = try await Program.run(["--checksum", "sha256:" + digest] + words(4, url))
        #expect(right.status == .code(0), "\(right.errorText)")
        #expect(right.outputText.contains("sha-256"))
        #expect(FileContents.difference(of: Program.file("f"), from: resource) == nil)
    }

    @Test func badBytesUnderAWrongChecksumAreNotCompletedFrom() async throws {
        var resource = Self.resource
        let sound = resource
        // However often the byte is asked for.
        resource.behaviors = [.bitFlip(offset: 5_000_000, times: .max)]
        let server = try OriginServer(resource)
        let url = server.url(for: "/big.bin")
        try FileContents.write(sound.content, 0..<sound.size, to: Program.file("model"))
        let sum = try await ProcessRunner.check("/usr/bin/sha256sum", [Program.file("model")])
        let checked = ["--checksum", "sha-256=" + String(sum.outputText.prefix(64))] + words(4, url)
        let first = try await Program.run(checked)
        #expect(first.status == .code(5))
        #expect(!FileContents.exists(Program.file("f")))
        server.replace(sound)
        let second = try await Program.run(checked)
        #expect(second.status == .code(0), "\(second.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: sound) == nil)
    }
}
