import Haul
import HaulOrigin
import HaulTestSupport
import Testing

/// Hosts that allow little: few refusals, no storm of requests, nothing lost.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct PolitenessTests {
    private let path = TemporaryDirectory.current + "/f.bin"

    private func run(
        _ behavior: OriginBehavior, _ wire: EngineBench.Wire, connections: Int = 8
    ) async throws -> (ending: EngineBench.Ending, resource: OriginResource) {
        let resource = OriginResource("/big.bin", size: 3_000_000, behavior: behavior)
        // Sockets on a loaded machine are slow when a second lasts a fifth of one: waits end, and refusals add up.
        let bench = EngineBench(wire: wire, connections: connections, speed: wire == .scripted ? 5 : 2)
        // Long enough that what is refused at first has time to be asked for again.
        return (try await bench.run(resource, to: path) { $0.connectionRate = 200_000 }, resource)
    }

    @Test(
        arguments: [
            OriginBehavior.connectionCap(limit: 2, status: 503, retryAfter: .none),
            .connectionCap(limit: 2, status: 429, retryAfter: .seconds(1)),
            .connectionCap(limit: 2, status: 403, retryAfter: .none), .resetBeyondCap(limit: 2),
            .closeBeyondCap(limit: 2), .newConnectionCap(limit: 2, period: .seconds(1), status: 503),
            .newConnectionCap(limit: 1, period: .seconds(2), status: 429), .ifRangeNeverMatches,
        ], EngineBench.Wire.allCases)
    func settlesAtWhatIsAllowed(_ behavior: OriginBehavior, _ wire: EngineBench.Wire) async throws {
        // URLSession makes a new connection for each request that is refused, and says of one that is closed only
        // that it broke: where connections themselves are counted it does not settle.
        let countsConnections =
            switch behavior {
            case .closeBeyondCap, .newConnectionCap: true
            default: false
            }
        guard wire != .urlSession || !countsConnections else { return }
        let (ending, resource) = try await run(behavior, wire)
        let receipt = try ending.result.get()
        #expect(FileContents.difference(of: path, from: resource) == nil)
        #expect(receipt.received * 100 <= resource.size * 105, "\(receipt.received)")
        // Six of the first eight, and now and then one more try.
        let refused = ending.requests.count { $0.status != 206 }
        #expect(refused <= 14, "\(refused) of \(ending.requests.count)")
        let events = ending.events.compactMap { if case .restarted(let reason) = $0 { reason } else { nil } }
        #expect(events.isEmpty)
    }

    @Test(arguments: [OriginRetryAfter.seconds(3), .date(4)], EngineBench.Wire.allCases)
    func theWaitThatIsAskedForHoldsAllWorkers(_ wait: OriginRetryAfter, _ wire: EngineBench.Wire) async throws {
        let (ending, resource) = try await run(.connectionCap(limit: 2, status: 429, retryAfter: wait), wire)
        _ = try ending.result.get()
        #expect(FileContents.difference(of: path, from: resource) == nil)
        let refused = ending.requests.filter { $0.status == 429 }.map(\.started)
        let first = try #require(refused.first)
        // The requests of the other workers, which were on their way already, arrive whenever the machine lets them; none
        // of them is sent again. A date counts whole seconds.
        let least: Duration = .seconds(2)
        let early = ending.requests.filter { $0.started > first && $0.started < first + least }
        #expect(early.count <= 8, "\(first): \(early.map { "\($0.started) \($0.status)" })")
    }

    @Test(arguments: [OriginRetryAfter.absurd, .seconds(4000)], EngineBench.Wire.allCases)
    func nobodyWaitsForEver(_ wait: OriginRetryAfter, _ wire: EngineBench.Wire) async throws {
        let (ending, _) = try await run(.refuses(status: 503, times: 1, retryAfter: wait), wire)
        guard case .failure(let error) = ending.result else {
            Issue.record("it went on at once")
            return
        }
        #expect(error.code == .refused(status: 503), "\(error.message)")
        #expect(ending.requests.count == 1)
        #expect(!FileContents.exists(path))
    }
}
