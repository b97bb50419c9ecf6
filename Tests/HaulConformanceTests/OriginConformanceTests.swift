import HaulCore
import HaulOrigin
import HaulTestSupport
import Testing

/// The fake is honest: what it hands over is what the server sends.
@Suite(.inTurn) struct OriginConformanceTests {
    private static let size: Int64 = 120_000

    /// What is asked for, one after the other, over one connection if it lasts.
    private static let requests: [[OriginField]] = [
        [OriginField("Range", "bytes=0-39999")],
        [OriginField("Range", "bytes=40000-79999"), OriginField("If-Range", "\"v1\"")],
        [],
        [OriginField("Range", "bytes=80000-")],
        [OriginField("Range", "bytes=120000-")],
    ]

    @Test(arguments: OriginBehavior.allCases) func `both give the same heads, bytes and ends`(
        behavior: OriginBehavior
    ) async throws {
        let speed = Self.speed(for: behavior)
        let count = behavior == .keepAliveLeftovers(late: true) ? 1 : Self.requests.count
        let resource = OriginResource("/dir/file.bin", size: Self.size, seed: 5, behavior: behavior)
        var configuration = OriginConfiguration([resource])
        configuration.speed = speed
        let server = try OriginServer(configuration)
        defer { server.stop() }
        let requests = Array(Self.requests.prefix(count))
        let real = await BackgroundThread.run { [port = server.port] in
            let client = OriginTestClient(port: port, quiet: Self.quiet(for: behavior))
            return requests.map { client.get("/dir/file.bin", $0) }
        }
        let scripted = try await Self.outcome(
            configuration, .continuous(speed: speed), server.url(for: "/dir/file.bin"), requests)
        for (index, pair) in zip(real, scripted.outcomes).enumerated() {
            #expect(pair.0 == pair.1, "request \(index)")
        }
        let places = [server.requests, scripted.log].map { $0.map { "\($0.connection).\($0.place)" } }
        #expect(places[0] == places[1])
        #expect(server.requests.map(\.status) == scripted.log.map(\.status))
    }

    /// Waits pass quickly, unless they decide what is answered.
    private static func speed(for behavior: OriginBehavior) -> Double {
        switch behavior {
        case .signedRedirectExpires, .newConnectionCap: 1
        case .keepAliveLeftovers(late: true): 0.1
        default: 1000
        }
    }

    /// After how many milliseconds silence is a stall.
    private static func quiet(for behavior: OriginBehavior) -> Int {
        switch behavior {
        case .stallBeforeHeaders, .stallMidBody: 500
        default: 20_000
        }
    }

    private static func outcome(
        _ configuration: OriginConfiguration, _ time: TimeSource, _ address: String, _ requests: [[OriginField]]
    ) async throws -> (outcomes: [OriginOutcome], log: [OriginRecord]) {
        let stalled = Latch()
        let transport = ScriptedTransport(configuration, time: time, onStall: { _ in stalled.open() })
        let url = try transport.parse(address, relativeTo: nil)
        var outcomes: [OriginOutcome] = []
        for fields in requests {
            let request = TransferRequest(url: url, fields: HTTPFields(fields.map { HTTPField($0.name, $0.value) }))
            let receiver = RecordingReceiver()
            stalled.close()
            let sending = Task<OriginOutcome.End, Never> {
                do throws(TransportError) {
                    _ = try await transport.send(request, on: Slot(0), to: receiver)
                    return .complete(isReusable: transport.isConnected(Slot(0)))
                } catch {
                    return error == .cancelled ? .stalled : .broken(OriginOutcome.kind(error))
                }
            }
            let watching = Task {
                await stalled.wait()
                sending.cancel()
            }
            let end = await sending.value
            watching.cancel()
            // Its cancelling opens the latch: not later, when the next request is under way.
            await watching.value
            outcomes.append(
                OriginOutcome(
                    status: receiver.head?.status,
                    fields: receiver.head.map { OriginOutcome.comparable($0.fields) } ?? [], body: receiver.bytes,
                    end: end))
        }
        return (outcomes, transport.requests)
    }
}
