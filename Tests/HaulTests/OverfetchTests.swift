import Haul
import HaulOrigin
import HaulTestSupport
import Testing

/// Servers that break, refuse and expire cost few bytes twice.
@Suite(.temporaryDirectory, .timeLimit(.minutes(3)))
struct OverfetchTests {
    @Test(
        arguments: [
            OriginBehavior.closesEvery(bytes: 250_000), .resetMidBody(after: 250_000),
            .refuses(status: 503, times: 4, retryAfter: .none), .shortRanges(limit: 200_000),
            .connectionCap(limit: 2, status: 503, retryAfter: .none),
            .connectionCap(limit: 2, status: 429, retryAfter: .seconds(1)), .resetBeyondCap(limit: 2),
            .closesAfterResponses(every: 2, announced: false), .stallMidBody(after: 150_000, times: 3),
        ], EngineBench.Wire.allCases)
    func retriesCostLittle(_ behavior: OriginBehavior, _ wire: EngineBench.Wire) async throws {
        _ = try await measure(behavior, wire, percent: 105)
    }

    @Test(
        arguments: [
            OriginBehavior.signedRedirectExpires(requests: 3, lifetime: .seconds(3600)),
            .signedRedirectExpires(requests: 6, lifetime: .seconds(3600)),
        ], EngineBench.Wire.allCases)
    func expiringLinksCostLittle(_ behavior: OriginBehavior, _ wire: EngineBench.Wire) async throws {
        let requests = try await measure(behavior, wire, percent: 125)
        guard case .signedRedirectExpires(let uses, _) = behavior else { return }
        // One resolution an expiry, for all workers: no address but the last is left before it has run out.
        let tokens = Dictionary(grouping: requests.compactMap { $0.request.parameter("token") }, by: { $0 })
        let early = tokens.filter { $0.value.count < uses }
        #expect(early.count <= 1, "\(requests.map { "\($0.connection): \($0.request.target) \($0.status)" })")
        let resolutions = requests.count { $0.request.parameter("token") == nil }
        #expect(resolutions == tokens.count)
    }

    private func measure(
        _ behavior: OriginBehavior, _ wire: EngineBench.Wire, percent: Int64
    ) async throws -> [OriginRecord] {
        let path = TemporaryDirectory.current + "/f.bin"
        let resource = OriginResource("/big.bin", size: ResumeBench.size, behavior: behavior)
        // Sockets on a loaded machine are slow when a second lasts a fiftieth of one: slow connections are raced.
        let ending = try await EngineBench(wire: wire, speed: wire == .curl ? 5 : 50).run(resource, to: path)
        let receipt = try ending.result.get()
        #expect(FileContents.difference(of: path, from: resource) == nil)
        #expect(receipt.received * 100 <= resource.size * percent, "\(receipt.received) of \(resource.size)")
        return ending.requests
    }
}
