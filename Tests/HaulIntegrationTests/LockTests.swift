import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// Two programs on one file; `HAUL_LOCK_ROUNDS=50` for fifty rounds.
@Suite(.serialized, .temporaryDirectory, .timeLimit(.minutes(20)))
struct LockTests {
    private static let resource = OriginResource("/big.bin", size: 6_000_001, seed: 51)

    private func words(_ url: String) -> [String] {
        ["--json", "-n", "4", "-o", "f", url] + Origin.smallSplit
    }

    @Test(arguments: 0..<TestEffort.count("HAUL_LOCK_ROUNDS", usual: 3))
    func oneOfTwoWins(round: Int) async throws {
        let server = try Origin.limited(Self.resource, rate: 4 << 20, after: 5_000_000)
        let url = server.url(for: "/big.bin")
        var random = SeededRandom(seed: UInt64(round) + 1)
        let first = try Program.start(words(url))
        try await ContinuousClock().sleep(for: .microseconds(Int.random(in: 0...8000, using: &random)))
        let second = try Program.start(words(url))
        // The origin's silence keeps the winner at work until the loser has ended: at once, not after the winner.
        try await Waiting.until("the loser's end") { first.hasEnded || second.hasEnded }
        let loser = await (first.hasEnded ? first : second).wait()
        #expect(loser.status == .code(8), "\(loser.errorText)")
        #expect(loser.errorText.hasPrefix("haul: "))
        let winner = first.hasEnded ? second : first
        #expect(!winner.hasEnded)
        // Every third winner dies, and the next in line is free to go on.
        if round % 3 == 2 {
            winner.signal(SIGKILL)
            _ = await winner.wait()
        }
        server.dropConnections()
        server.limit()
        let outcome = round % 3 == 2 ? try await Program.run(words(url)) : await winner.wait()
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil)
        #expect(Program.names == ["f"])
        // One fetched: what was dropped with the connections comes again, and no second copy.
        #expect(server.bytesSent <= Self.resource.size * 3 / 2 + (2 << 20), "\(server.bytesSent)")
    }

    /// Small files come and go so quickly that one program finds what the other has just named.
    @Test func twoOnTheSameSmallFilesLeaveNothingElse() async throws {
        let resources = (0..<300).map { OriginResource("/\($0).bin", size: 20_000 + Int64($0), seed: UInt64($0)) }
        let server = try OriginServer(OriginConfiguration(resources))
        let list = resources.map { server.url(for: $0.path) + "\n" }.joined()
        try FileContents.write(Array(list.utf8), to: Program.file("list"))
        let words = ["-q", "-j", "8", "-i", "list"]
        let both = [try Program.start(words), try Program.start(words)]
        for process in both {
            let outcome = await process.wait()
            #expect([.code(0), .code(8)].contains(outcome.status), "\(outcome.errorText)")
            #expect(!outcome.errorText.contains("choose another name"), "\(outcome.errorText)")
        }
        #expect(Program.names.filter { $0.hasSuffix(".haul") || $0.hasSuffix("-journal") } == [])
        for resource in resources {
            #expect(FileContents.difference(of: Program.file(String(resource.path.dropFirst())), from: resource) == nil)
        }
    }

    @Test func leftoversOfTheDeadAreNoObstacle() async throws {
        let server = try Origin.limited(Self.resource, rate: 4 << 20, after: 3_500_000)
        let url = server.url(for: "/big.bin")
        let dead = try Program.start(words(url))
        try await Waiting.until("bytes") { server.bytesSent > 3_000_000 || dead.hasEnded }
        dead.signal(SIGKILL)
        _ = await dead.wait()
        #expect(FileContents.exists(Program.file("f.haul")))
        // What a crash within a journal's replacement leaves.
        try FileContents.write(Array("half a journal".utf8), to: Program.file("f.haul-journal.new"))
        server.dropConnections()
        server.limit()
        let outcome = try await Program.run(words(url))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.number("resumed") ?? 0 > 0)
        #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil)
        #expect(Program.names == ["f"])
    }

    @Test func oneOfTwoWinsTheNameThatTheServerGives() async throws {
        var resource = Self.resource
        resource.disposition = "attachment; filename=\"f\""
        let server = try Origin.limited(resource, rate: 4 << 20)
        let words = ["--json", "-n", "4", "-d", ".", server.url(for: "/big.bin")] + Origin.smallSplit
        let first = try Program.start(words)
        let second = try Program.start(words)
        let outcomes = [await first.wait(), await second.wait()]
        #expect(Set(outcomes.map(\.status)) == [.code(0), .code(8)], "\(outcomes.map(\.errorText))")
        #expect(FileContents.difference(of: Program.file("f"), from: resource) == nil)
        #expect(Program.names == ["f"])
    }

    @Test func lockDiesWithItsOwner() async throws {
        let server = try Origin.limited(Self.resource, rate: 2 << 20, after: 3_500_000)
        let url = server.url(for: "/big.bin")
        let first = try Program.start(words(url))
        try await Waiting.until("bytes") { server.bytesSent > 3_000_000 || first.hasEnded }
        let second = try await Program.run(words(url))
        #expect(second.status == .code(8), "\(second.errorText)")
        first.signal(SIGKILL)
        _ = await first.wait()
        server.replace(Self.resource)
        server.limit()
        let third = try await Program.run(words(url))
        #expect(third.status == .code(0), "\(third.errorText)")
        #expect(third.number("resumed") ?? 0 > 0)
        #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil)
        #expect(server.bytesSent < Self.resource.size * 3 / 2)
    }
}
