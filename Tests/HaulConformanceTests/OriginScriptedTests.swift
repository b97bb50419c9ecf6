import HaulCore
import HaulOrigin
import HaulTestSupport
import Testing

/// The in-memory transport keeps the seam's promises.
@Suite(.inTurn) struct OriginScriptedTests {
    private static let file = OriginResource("/f", size: 200_000, seed: 7)

    private static func request(
        _ transport: ScriptedTransport, _ range: String? = nil, _ address: String = "http://a.test/f"
    ) throws -> TransferRequest {
        var fields = HTTPFields()
        if let range { fields.append("Range", range) }
        return TransferRequest(url: try transport.parse(address, relativeTo: nil), fields: fields)
    }

    @Test func `hands over the head once, before the bytes`() async throws {
        let transport = ScriptedTransport(Self.file)
        let receiver = RecordingReceiver()
        let summary = try await transport.send(
            try Self.request(transport, "bytes=1000-99999"), on: Slot(1), to: receiver)
        #expect(receiver.calls.prefix(2) == [.connected, .head(status: 206)])
        #expect(receiver.calls.dropFirst(2).allSatisfy { if case .bytes(1...16_384) = $0 { true } else { false } })
        #expect(receiver.bytes == Self.file.content.bytes(1000..<100_000))
        #expect(summary.bytesReceived == 99_000)
        #expect(!summary.stoppedByReceiver)
        #expect(!summary.reusedConnection)
        let again = try await transport.send(
            try Self.request(transport, "bytes=0-0"), on: Slot(1), to: RecordingReceiver())
        #expect(again.reusedConnection)
        var fresh = try Self.request(transport, "bytes=0-0")
        fresh.needsFreshConnection = true
        #expect(try await !transport.send(fresh, on: Slot(1), to: RecordingReceiver()).reusedConnection)
        #expect(transport.requests.map(\.connection) == [1, 1, 2])
    }

    @Test func `a receiver may stop at the head or in the body`() async throws {
        let transport = ScriptedTransport(Self.file)
        let atHead = RecordingReceiver(onHead: { _ in .stop })
        let first = try await transport.send(try Self.request(transport), on: Slot(1), to: atHead)
        #expect(first.stoppedByReceiver)
        #expect(atHead.count == 0)
        #expect(!transport.isConnected(Slot(1)))
        let inBody = RecordingReceiver(onBytes: { $0 > 50_000 ? .stop : .proceed })
        let second = try await transport.send(try Self.request(transport), on: Slot(1), to: inBody)
        #expect(second.stoppedByReceiver)
        #expect((50_001..<80_000).contains(second.bytesReceived))
        #expect(second.bytesReceived == inBody.count)
        #expect(!second.reusedConnection)
    }

    @Test func `a pause holds the body until resume`() async throws {
        let transport = ScriptedTransport(Self.file)
        let paused = Latch()
        let receiver = RecordingReceiver(
            onHead: { _ in
                paused.open()
                return .pause
            })
        let request = try Self.request(transport)
        async let summary = transport.send(request, on: Slot(1), to: receiver)
        await paused.wait()
        transport.resume(Slot(2))
        for _ in 0..<1000 { await Task.yield() }
        #expect(receiver.count == 0)
        transport.resume(Slot(1))
        #expect(try await summary.bytesReceived == 200_000)
    }

    @Test func `a resume that comes before the pause is in force is not lost`() async throws {
        let transport = ScriptedTransport(Self.file)
        let receiver = RecordingReceiver(
            onBytes: { _ in
                transport.resume(Slot(1))
                return .pause
            })
        let summary = try await transport.send(try Self.request(transport), on: Slot(1), to: receiver)
        #expect(summary.bytesReceived == 200_000)
    }

    @Test(arguments: [
        OriginBehavior.stallBeforeHeaders(times: 1), .stallMidBody(after: 20_000, times: 1),
        .latency(.seconds(1_000_000_000)), .hundredContinues(count: .max),
    ]) func `cancelling ends it in every phase`(behavior: OriginBehavior) async throws {
        let transport = ScriptedTransport(OriginResource("/f", size: 200_000, behavior: behavior), time: .continuous())
        let request = try Self.request(transport)
        let task = Task {
            do throws(TransportError) {
                _ = try await transport.send(request, on: Slot(1), to: RecordingReceiver())
                return TransportError?.none
            } catch {
                return error
            }
        }
        while transport.requests.isEmpty { await Task.yield() }
        task.cancel()
        let error = await task.value
        #expect(error == .cancelled || (behavior == .hundredContinues(count: .max) && error == .headTooLarge))
        #expect(transport.requests.first?.finished != nil)
    }

    @Test func `cancelling ends a pause`() async throws {
        let transport = ScriptedTransport(Self.file)
        let request = try Self.request(transport)
        let paused = Latch()
        let task = Task {
            await #expect(throws: TransportError.cancelled) {
                try await transport.send(
                    request, on: Slot(1),
                    to: RecordingReceiver(onHead: { _ in
                        paused.open()
                        return .pause
                    }))
            }
        }
        await paused.wait()
        task.cancel()
        _ = await task.value
    }

    @Test func `rates pass in the transport's time`() async throws {
        var configuration = OriginConfiguration([Self.file])
        configuration.connectionRate = 10_000
        let time = TimeSource.continuous(speed: 1000)
        let transport = ScriptedTransport(configuration, time: time)
        let request = try Self.request(transport)
        let before = time.now()
        _ = try await transport.send(request, on: Slot(1), to: RecordingReceiver())
        #expect(time.now() - before > .seconds(18))
    }

    @Test func `hosts are told apart, and may fail to connect`() async throws {
        let transport = ScriptedTransport(
            hosts: ["a.test": OriginConfiguration([Self.file]), "b.test": OriginConfiguration()],
            connecting: { _, attempt in attempt == 2 ? .connectTimedOut : nil })
        let first = RecordingReceiver()
        _ = try await transport.send(try Self.request(transport), on: Slot(1), to: first)
        #expect(first.head?.status == 200)
        await #expect(throws: TransportError.connectTimedOut) {
            try await transport.send(
                try Self.request(transport, nil, "http://b.test/f"), on: Slot(1), to: RecordingReceiver())
        }
        let second = RecordingReceiver()
        _ = try await transport.send(
            try Self.request(transport, nil, "http://b.test/f"), on: Slot(1), to: second)
        #expect(second.head?.status == 404)
        await #expect(throws: TransportError.nameNotResolved(host: "c.test")) {
            try await transport.send(
                try Self.request(transport, nil, "http://c.test/f"), on: Slot(1), to: RecordingReceiver())
        }
        #expect(transport.requests(to: "a.test").count == 1)
        #expect(transport.requests(to: "b.test").count == 1)
    }

    @Test func `credentials and cookies are sent`() async throws {
        let transport = ScriptedTransport(
            OriginResource("/f", size: 10, behaviors: [.authRequired, .cookieOnRedirect]))
        var request = try Self.request(transport)
        request.credentials = BasicCredentials(name: "user", password: "secret")
        let redirect = RecordingReceiver()
        _ = try await transport.send(request, on: Slot(1), to: redirect)
        let location = try #require(redirect.head?.fields["Location"])
        request.url = try transport.parse(location, relativeTo: request.url)
        let receiver = RecordingReceiver()
        _ = try await transport.send(request, on: Slot(2), to: receiver)
        #expect(receiver.head?.status == 200)
        request.credentials = nil
        let refused = RecordingReceiver()
        _ = try await transport.send(request, on: Slot(2), to: refused)
        #expect(refused.head?.status == 401)
    }
}
