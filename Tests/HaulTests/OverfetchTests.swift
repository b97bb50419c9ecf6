import Haul
import HaulOrigin
import HaulTestSupport
import Testing

/// Servers that break, refuse and expire cost few bytes twice.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct OverfetchTests {
    @Test(
        arguments: [
            OriginBehavior.closesEvery(bytes: 250_000), .resetMidBody(after: 250_000),
            .refuses(status: 503, times: 4, retryAfter: .none), .shortRanges(limit: 200_000),
            .connectionCap(limit: 2, status: 503, retryAfter: .none),
            .connectionCap(limit: 2, status: 429, retryAfter: .seconds(1)),
            .connectionCap(limit: 2, status: 403, retryAfter: .none), .resetBeyondCap(limit: 2),
            .closeBeyondCap(limit: 2), .newConnectionCap(limit: 2, period: .seconds(1), status: 503),
            .refuses(status: 408, times: 2, retryAfter: .none), .refuses(status: 425, times: 2, retryAfter: .none),
            .refuses(status: 429, times: 2, retryAfter: .date(1)), .refuses(status: 500, times: 2, retryAfter: .none),
            .closesBeforeHead(times: 3), .resetsBeforeHead(times: 3), .stallBeforeHeaders(times: 2),
            .keepAliveLeftovers(late: false), .keepAliveLeftovers(late: true), .chunkedWithRanges,
            .closesAfterResponses(every: 1, announced: true), .closesAfterResponses(every: 2, announced: false),
            .stallMidBody(after: 150_000, times: 3),
        ], EngineBench.Wire.allCases)
    func retriesCostLittle(_ behavior: OriginBehavior, _ wire: EngineBench.Wire) async throws {
        _ = try await measure(behavior, wire, percent: 105)
    }

    @Test func aServerThatServesNoRangesAnyMoreSendsTheBodyOnce() async throws {
        let requests = try await measure(.rangesOnlyOnProbe, .scripted, percent: 125)
        // The first, those of four workers with If-Range and without, those of two who ask again before the third refusal
        // in a row is known, and the one that is used.
        #expect(requests.count <= 12, "\(requests.map { "\($0.status) \($0.bodyBytes)" })")
        let sent = requests.reduce(0) { $0 + $1.bodyBytes }
        #expect(sent * 100 <= ResumeBench.size * 125, "\(sent)")
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

    /// An answer of the address that has expired arrives when another has been resolved already.
    @Test(arguments: EngineBench.Wire.allCases)
    func lateAnswersOfAnExpiredLinkAreNotFollowed(_ wire: EngineBench.Wire) async throws {
        let resource = OriginResource(
            "/big.bin", size: 1_600_000,
            behaviors: [
                .signedRedirectExpires(requests: 8, lifetime: .seconds(3600)),
                .latencyOf(request: 4, .milliseconds(700)),
                .closesEvery(bytes: 40_000), .dripFeed(rate: 400_000),
            ])
        let path = TemporaryDirectory.current + "/f.bin"
        let ending = try await EngineBench(wire: wire, speed: 1).run(resource, to: path)
        _ = try ending.result.get()
        #expect(FileContents.difference(of: path, from: resource) == nil)
        let requests = ending.requests.map { "\($0.connection): \($0.request.target) \($0.status)" }
        let next = try #require(requests.firstIndex { $0.contains("token=2") })
        #expect(!requests[next...].contains { $0.contains("token=0") }, "\(requests)")
    }

    /// How fast the clock runs: sockets on a loaded machine are slow when a second lasts a part of one, and slow
    /// connections are raced.
    private func speed(of behavior: OriginBehavior, _ wire: EngineBench.Wire) -> Double {
        guard wire == .curl else { return 50 }
        switch behavior {
        case .stallBeforeHeaders, .stallMidBody: return 5
        default: return 1
        }
    }

    private func measure(
        _ behavior: OriginBehavior, _ wire: EngineBench.Wire, percent: Int64
    ) async throws -> [OriginRecord] {
        let path = TemporaryDirectory.current + "/f.bin"
        // libcurl hands out 16 KiB at once, also to a connection whose range was cut meanwhile: of a small file that alone
        // would be a twentieth.
        let size = wire == .curl ? 6 * ResumeBench.size : ResumeBench.size
        let resource = OriginResource("/big.bin", size: size, behavior: behavior)
        let ending = try await EngineBench(wire: wire, speed: speed(of: behavior, wire)).run(resource, to: path)
        let receipt = try ending.result.get()
        #expect(FileContents.difference(of: path, from: resource) == nil)
        #expect(receipt.received * 100 <= resource.size * percent, "\(receipt.received) of \(resource.size)")
        return ending.requests
    }
}
