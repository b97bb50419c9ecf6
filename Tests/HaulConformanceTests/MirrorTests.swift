import Haul
import HaulOrigin
import HaulTestSupport
import Testing

/// Several addresses of one file: shared by speed, failing ones dropped, wrong ones left out.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct MirrorTests {
    private static let size: Int64 = 4_000_000
    private let path = TemporaryDirectory.current + "/out.bin"
    private let bench = EngineBench(wire: .scripted, connections: 4, speed: 20)

    private func host(
        _ name: String, seed: UInt64 = 1, size: Int64 = size, rate: Int64 = 400_000, etag: String = "\"v1\"",
        _ behaviors: OriginBehavior...
    ) -> (name: String, configuration: OriginConfiguration) {
        var configuration = OriginConfiguration([
            OriginResource("/f", size: size, seed: seed, etag: etag, behaviors: behaviors)
        ])
        configuration.connectionRate = rate
        return (name, configuration)
    }

    private var resource: OriginResource { OriginResource("/f", size: Self.size) }

    private func notices(_ ending: EngineBench.Ending) -> [String] {
        ending.events.compactMap { if case .notice(let text) = $0 { text } else { nil } }
    }

    @Test func `a mirror carries a share, whatever its tag`() async throws {
        let (ending, transport) = try await bench.run(
            hosts: [host("a.test"), host("b.test", etag: "\"other\"")], path: "/f", to: path)
        _ = try ending.result.get()
        #expect(FileContents.difference(of: path, from: resource) == nil)
        let carried = transport.requests(to: "b.test").reduce(0) { $0 + $1.bodyBytes }
        #expect(carried > Self.size / 20)
    }

    @Test(arguments: [
        OriginBehavior.refuses(status: 404, times: .max, retryAfter: .none), .noRanges, .resetsBeforeHead(times: .max),
        .refuses(status: 503, times: .max, retryAfter: .none), .gzipAnyway, .wrongContentRange(shift: 10),
    ])
    func `a mirror that fails is left out`(behavior: OriginBehavior) async throws {
        let (ending, _) = try await bench.run(
            hosts: [host("a.test"), host("b.test", behavior)], path: "/f", to: path)
        _ = try ending.result.get()
        #expect(FileContents.difference(of: path, from: resource) == nil)
    }

    @Test func `a mirror with other bytes of the same size is left out with a warning`() async throws {
        let (ending, transport) = try await bench.run(
            hosts: [host("a.test"), host("b.test", seed: 2)], path: "/f", to: path)
        _ = try ending.result.get()
        #expect(FileContents.difference(of: path, from: resource) == nil)
        #expect(notices(ending).contains { $0.contains("b.test") && $0.contains("left out") })
        #expect(transport.requests(to: "b.test").count <= 2)
    }

    @Test func `a mirror with a release that shares most blocks is found out`() async throws {
        var mirror = host("b.test")
        mirror.configuration.resources[0].pattern = .altered(every: 8, seed: 77)
        let (ending, _) = try await bench.run(hosts: [host("a.test"), mirror], path: "/f", to: path)
        _ = try ending.result.get()
        #expect(FileContents.difference(of: path, from: resource) == nil)
    }

    @Test func `mirrors of a uniform image are not let in by blocks that say nothing`() async throws {
        var first = host("a.test")
        var mirror = host("b.test")
        first.configuration.resources[0].pattern = .uniform(0)
        mirror.configuration.resources[0].pattern = .uniform(0)
        let (ending, transport) = try await bench.run(hosts: [first, mirror], path: "/f", to: path)
        _ = try ending.result.get()
        #expect(FileContents.difference(of: path, from: first.configuration.resources[0]) == nil)
        #expect(transport.requests(to: "b.test").isEmpty)
    }

    @Test func `an earlier run's partial goes on from a mirror when the first address is gone`() async throws {
        var dying = host("a.test")
        dying.configuration.silentAfter = 1_500_000
        var short = bench
        short.retries = 0
        let (first, _) = try await short.run(hosts: [dying], path: "/f", to: path)
        #expect(throws: DownloadError.self) { try first.result.get() }
        let gone = OriginBehavior.refuses(status: 404, times: .max, retryAfter: .none)
        let wrong = host("b.test", seed: 3)
        let (other, _) = try await bench.run(hosts: [host("a.test", gone), wrong], path: "/f", to: path)
        #expect(throws: DownloadError.self) { try other.result.get() }
        let (ending, _) = try await bench.run(hosts: [host("a.test", gone), host("b.test")], path: "/f", to: path)
        let receipt = try ending.result.get()
        #expect(receipt.resumed > 500_000)
        #expect(FileContents.difference(of: path, from: resource) == nil)
    }

    @Test func `a mirror of another length is left out with a warning`() async throws {
        let (ending, _) = try await bench.run(
            hosts: [host("a.test"), host("b.test", size: Self.size + 1)], path: "/f", to: path)
        _ = try ending.result.get()
        #expect(FileContents.difference(of: path, from: resource) == nil)
        #expect(notices(ending).contains { $0.contains("b.test") && $0.contains("bytes long") })
    }

    @Test func `the first address is dead from the start`() async throws {
        let (ending, _) = try await bench.run(
            hosts: [host("a.test", .refuses(status: 404, times: .max, retryAfter: .none)), host("b.test")], path: "/f",
            to: path)
        _ = try ending.result.get()
        #expect(FileContents.difference(of: path, from: resource) == nil)
    }

    @Test func `the first address dies under way`() async throws {
        // After a few requests a.test only resets.
        let (ending, _) = try await bench.run(
            hosts: [host("a.test", .resetMidBody(after: 150_000)), host("b.test")], path: "/f", to: path)
        _ = try ending.result.get()
        #expect(FileContents.difference(of: path, from: resource) == nil)
    }

    /// Whose bytes they are the digest does not tell: each is tried by itself.
    @Test(arguments: [1, 4]) func `the first address lies and a digest tells`(connections: Int) async throws {
        try FileContents.write(resource.content, 0..<resource.size, to: path + ".model")
        let sum = try await ProcessRunner.check("/usr/bin/sha256sum", [path + ".model"])
        var bench = bench
        bench.checksums = [try .sha256(String(sum.outputText.prefix(64)))]
        bench.connections = connections
        let liars = [host("a.test", seed: 2), host("b.test", seed: 3)]
        let (ending, _) = try await bench.run(hosts: liars + [host("c.test")], path: "/f", to: path)
        let receipt = try ending.result.get()
        #expect(receipt.verified.contains("sha-256"))
        #expect(FileContents.difference(of: path, from: resource) == nil)
        let (other, _) = try await bench.run(hosts: liars, path: "/f", to: path + ".2")
        guard case .failure(let error) = other.result else { return #expect(Bool(false), "a liar was believed") }
        #expect(error.code == .integrity)
    }

    @Test func `all addresses are dead`() async throws {
        let dead = OriginBehavior.refuses(status: 404, times: .max, retryAfter: .none)
        let (ending, _) = try await bench.run(
            hosts: [host("a.test", dead), host("b.test", dead)], path: "/f", to: path)
        #expect(throws: DownloadError.self) { try ending.result.get() }
        #expect(!FileContents.exists(path))
    }
}
