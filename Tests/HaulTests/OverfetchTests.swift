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
        try await measure(behavior, wire, percent: 105)
    }

    @Test(
        arguments: [
            OriginBehavior.signedRedirectExpires(requests: 3, lifetime: .seconds(3600)),
            .signedRedirectExpires(requests: 6, lifetime: .seconds(3600)),
        ], EngineBench.Wire.allCases)
    func expiringLinksCostLittle(_ behavior: OriginBehavior, _ wire: EngineBench.Wire) async throws {
        try await measure(behavior, wire, percent: 125)
    }

    private func measure(_ behavior: OriginBehavior, _ wire: EngineBench.Wire, percent: Int64) async throws {
        let path = TemporaryDirectory.current + "/f.bin"
        let resource = OriginResource("/big.bin", size: ResumeBench.size, behavior: behavior)
        let ending = try await EngineBench(wire: wire).run(resource, to: path)
        let receipt = try ending.result.get()
        #expect(FileContents.difference(of: path, from: resource) == nil)
        #expect(receipt.received * 100 <= resource.size * percent, "\(receipt.received) of \(resource.size)")
    }
}
