import Glibc
import HaulCore
import HaulOrigin
import HaulTestSupport
import Testing

/// Rates and limits of the embedded origin, in real time.
@Suite(.inTurn, .serialized) struct OriginLimitTests {
    private static let size: Int64 = 1_500_000

    /// Bytes a second that `count` connections get together.
    private static func rate(_ configuration: OriginConfiguration, connections count: Int) async throws -> Double {
        let server = try OriginServer(configuration)
        defer { server.stop() }
        let duration = await BackgroundThread.run { [port = server.port] in
            let clock = ContinuousClock()
            return clock.measure {
                let threads = (0..<count).map { _ in
                    BackgroundThread.start { _ = OriginTestClient(port: port).get("/f", keepsBody: false) }
                }
                for thread in threads { thread.join() }
            }
        }
        let sent = server.requests.reduce(0) { $0 + $1.bodyBytes }
        return Double(sent) / (duration / .seconds(1))
    }

    /// Checks that a rate is kept: never exceeded, and reached unless the machine has no time for the test.
    private static func expect(
        _ rate: Double, share: Int = 1, _ configuration: OriginConfiguration, connections: Int
    ) async throws {
        var best = 0.0
        for _ in 0..<8 where best < rate * 0.9 {
            best = max(best, try await Self.rate(configuration, connections: connections) / Double(share))
        }
        #expect((rate * 0.9...rate * 1.1).contains(best))
    }

    @Test func `a token bucket holds the average when its sender is late`() {
        var random = SeededRandom(seed: 8)
        for rate in [Int64(1000), 1_000_000, 20_971_520] {
            var pace = OriginPace(rate: rate)
            let piece = pace.piece
            var (now, sent) = (Duration.seconds(5), 0)
            while now < .seconds(15) {
                now += pace.take(piece, at: now)
                now += .milliseconds(Int.random(in: 0..<40, using: &random))
                sent += piece
            }
            let average = Double(sent) / 10 / Double(rate)
            #expect(average <= 1.01)
            // A sender that is later than a piece lasts can't but fall behind; the bucket lets it catch up.
            var exact = OriginPace(rate: rate)
            let bytes = Int(max(1, rate / 10))
            (now, sent) = (.seconds(5), 0)
            while now < .seconds(15) {
                now += exact.take(bytes, at: now)
                now += .milliseconds(Int.random(in: 0..<40, using: &random))
                sent += bytes
            }
            #expect((0.98...1.02).contains(Double(sent) / 10 / Double(rate)))
        }
    }

    @Test(arguments: [1, 3]) func `each connection keeps to its rate`(connections: Int) async throws {
        var configuration = OriginConfiguration([OriginResource("/f", size: Self.size)])
        configuration.connectionRate = 1_000_000
        try await Self.expect(1_000_000, share: connections, configuration, connections: connections)
    }

    @Test func `all together keep to the whole rate`() async throws {
        var configuration = OriginConfiguration([OriginResource("/f", size: Self.size / 3)])
        configuration.totalRate = 1_000_000
        try await Self.expect(1_000_000, configuration, connections: 3)
    }

    @Test func `the rate is of the connection, not of the request`() async throws {
        var configuration = OriginConfiguration([OriginResource("/f", size: 50_000)])
        configuration.connectionRate = 1_000_000
        let server = try OriginServer(configuration)
        let duration = await BackgroundThread.run { [port = server.port] in
            ContinuousClock().measure {
                let client = OriginTestClient(port: port)
                client.connectIfNeeded()
                for _ in 0..<24 { client.send("GET", "/f") }
                var left = 24 * 50_000
                while left > 0 { left -= max(1, client.receiveSome()) }
            }
        }
        #expect(duration > .milliseconds(1050))
        #expect(server.connectionsAccepted == 1)
    }

    @Test(arguments: [
        OriginConfiguration.Refusal.status(503, retryAfter: .seconds(7)), .status(429, retryAfter: .none), .reset,
        .close,
    ]) func `connections beyond the limit are refused`(refusal: OriginConfiguration.Refusal) async throws {
        var configuration = OriginConfiguration([OriginResource("/f", size: 1000)])
        configuration.connectionLimit = 2
        configuration.refusal = refusal
        let server = try OriginServer(configuration)
        let (refused, later) = await BackgroundThread.run { [port = server.port] in
            let first = OriginTestClient(port: port)
            let second = OriginTestClient(port: port)
            let third = OriginTestClient(port: port)
            _ = first.get("/f")
            _ = second.get("/f")
            let refused = third.get("/f")
            first.disconnect()
            // The server may take a while to see it.
            var later = third.get("/f")
            for _ in 0..<10_000 where later.status != 200 { later = third.get("/f") }
            return (refused, later)
        }
        switch refusal {
        case .status(let status, _):
            #expect(refused.status == status)
            #expect(refused.end == .complete(isReusable: false))
        case .reset, .close:
            #expect(refused.end == .broken(.brokenBeforeHead(detail: "")))
        }
        #expect(later.status == 200)
        #expect(server.connectionsPeak == 2)
        #expect(server.connectionsAccepted >= 4)
    }

    @Test func `new connections beyond the limit are refused for a while`() async throws {
        var configuration = OriginConfiguration([OriginResource("/f", size: 1000)])
        configuration.newConnectionLimit = 2
        configuration.newConnectionPeriod = .seconds(3600)
        let server = try OriginServer(configuration)
        let statuses = await BackgroundThread.run { [port = server.port] in
            (0..<4).map { _ in OriginTestClient(port: port).get("/f").status }
        }
        #expect(statuses == [200, 200, 503, 503])
    }

    @Test(arguments: [
        (OriginBehavior.connectionCap(limit: 2, status: 403, retryAfter: .none), Int?.some(403)),
        (.resetBeyondCap(limit: 2), nil), (.closeBeyondCap(limit: 2), nil),
    ]) func `answers beyond the cap are refused until another is over`(
        behavior: OriginBehavior, status: Int?
    ) async throws {
        let server = try OriginServer(OriginResource("/f", size: 1 << 40, behavior: behavior))
        let (refused, later) = await BackgroundThread.run { [port = server.port] in
            let busy = (0..<2).map { _ in
                let client = OriginTestClient(port: port)
                client.connectIfNeeded()
                client.send("GET", "/f")
                while client.receiveSome() <= 0 {}
                return client
            }
            let third = OriginTestClient(port: port)
            let range = [OriginField("Range", "bytes=0-9")]
            let refused = third.get("/f", range)
            busy[0].disconnect()
            while server.requests.filter({ $0.finished == nil }).count > 1 { sched_yield() }
            let later = third.get("/f", range)
            busy[1].disconnect()
            return (refused, later)
        }
        #expect(refused.status == status)
        #expect(later.status == 206)
        #expect(server.exchangesPeak == 2)
    }
}
