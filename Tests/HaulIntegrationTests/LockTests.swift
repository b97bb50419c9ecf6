import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// Two programs on one file.
@Suite(.serialized, .temporaryDirectory, .timeLimit(.minutes(2)))
struct LockTests {
    private static let resource = OriginResource("/big.bin", size: 6_000_001, seed: 51)

    private func words(_ url: String) -> [String] {
        ["--json", "-n", "4", "-o", "f", url] + Origin.smallSplit
    }

    @Test(arguments: 0..<3)
    func oneOfTwoWins(round: Int) async throws {
        let server = try Origin.limited(Self.resource, rate: 4 << 20)
        let url = server.url(for: "/big.bin")
        let first = try Program.start(words(url))
        let second = try Program.start(words(url))
        let outcomes = [await first.wait(), await second.wait()]
        #expect(Set(outcomes.map(\.status)) == [.code(0), .code(8)], "\(outcomes.map(\.errorText))")
        let loser = outcomes.first { $0.status == .code(8) }
        #expect(loser?.errorText.hasPrefix("haul: ") == true)
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
