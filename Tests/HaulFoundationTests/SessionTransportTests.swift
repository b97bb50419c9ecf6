import Foundation
import HaulCore
import HaulOrigin
import HaulTestSupport
import Synchronization
import Testing

@testable import HaulFoundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The seam's promises, kept over URLSession.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct SessionTransportTests {
    private static let size: Int64 = 2_000_000
    private let transport = URLSessionTransport()

    private func serve(
        _ behaviors: [OriginBehavior] = [], fields: [OriginField] = [], size: Int64 = size, rate: Int64? = nil
    ) throws -> (server: OriginServer, request: TransferRequest) {
        var resource = OriginResource("/f", size: size, behaviors: behaviors)
        resource.fields = fields
        var configuration = OriginConfiguration([resource])
        configuration.totalRate = rate
        let server = try OriginServer(configuration)
        let url = try transport.parse(server.url(for: "/f"), relativeTo: nil)
        return (server, TransferRequest(url: url, fields: HTTPFields([HTTPField("Accept-Encoding", "identity")])))
    }

    private func send(
        _ request: TransferRequest, on slot: Int = 0, to receiver: RecordingReceiver
    ) async -> Result<TransferSummary, TransportError> {
        do throws(TransportError) {
            return .success(try await transport.send(request, on: Slot(slot), to: receiver))
        } catch {
            return .failure(error)
        }
    }

    @Test func theHeadComesFirstAndOnceAndTheBytesInOrder() async throws {
        let (server, request) = try serve()
        defer { server.stop() }
        let receiver = RecordingReceiver()
        #expect(try await send(request, to: receiver).get().bytesReceived == Self.size)
        #expect(receiver.calls.prefix(2) == [.connected, .head(status: 200)])
        #expect(receiver.calls.count { if case .head = $0 { true } else { false } } == 1)
        #expect(receiver.bytes == OriginResource("/f", size: Self.size).content.bytes(0..<Self.size))
        #expect(server.requests[0].request.fields.value("Accept-Encoding") == "identity")
    }

    @Test(arguments: [false, true]) func aReceiverIsLetGoOfAtTheEnd(stops: Bool) async throws {
        let (server, request) = try serve()
        defer { server.stop() }
        weak var kept: RecordingReceiver?
        do {
            let receiver = RecordingReceiver(onHead: { _ in stops ? .stop : .proceed })
            kept = receiver
            _ = try await send(request, to: receiver).get()
        }
        // The session's last call may be on its way back.
        while kept != nil { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test func aRefusedHeadIsTheLastThatTheReceiverSees() async throws {
        let (server, request) = try serve()
        defer { server.stop() }
        let receiver = RecordingReceiver(onHead: { _ in .stop })
        #expect(try await send(request, to: receiver).get().stoppedByReceiver)
        #expect(receiver.calls == [.connected, .head(status: 200)])
    }

    @Test func pausesAreHeldAndGoneOnFrom() async throws {
        let (server, request) = try serve()
        defer { server.stop() }
        // Resuming from the receiver itself comes before the pause has taken effect, and must not be lost.
        let receiver = RecordingReceiver(
            onHead: { _ in
                transport.resume(Slot(0))
                return .pause
            },
            onBytes: { _ in
                transport.resume(Slot(0))
                return .pause
            })
        #expect(try await send(request, to: receiver).get().bytesReceived == Self.size)
        #expect(receiver.bytes == OriginResource("/f", size: Self.size).content.bytes(0..<Self.size))
    }

    /// URLSession on Linux ends the process when the answer to a redirect comes behind the cancellation.
    @Test(arguments: [false, true]) func aRedirectIsNotAnsweredBehindTheCancellation(isCancelled: Bool) throws {
        let address = try #require(URL(string: "http://127.0.0.1:1/"))
        let fields = ["Location": "/other"]
        let redirect = try #require(
            HTTPURLResponse(url: address, statusCode: 302, httpVersion: "HTTP/1.1", headerFields: fields))
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let listener = SessionListener()
        if isCancelled { listener.close() }
        let answers = Mutex<[URLRequest?]>([])
        listener.urlSession(
            session, task: session.dataTask(with: address), willPerformHTTPRedirection: redirect,
            newRequest: URLRequest(url: address)
        ) { request in answers.withLock { $0.append(request) } }
        #expect(answers.withLock { $0 } == (isCancelled ? [] : [nil]))
    }

    /// Its session is gone before the task is made.
    @Test func cancelledAtOnce() async throws {
        let (server, request) = try serve()
        defer { server.stop() }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<300 {
                group.addTask {
                    let transport = URLSessionTransport()
                    let task = Task { try? await transport.send(request, on: Slot(0), to: RecordingReceiver()) }
                    task.cancel()
                    _ = await task.value
                }
            }
        }
    }

    @Test func nothingComesDuringAPause() async throws {
        let (server, request) = try serve()
        defer { server.stop() }
        let isPaused = Latch()
        let receiver = RecordingReceiver(onHead: { _ in
            isPaused.open()
            return .pause
        })
        async let result = send(request, to: receiver)
        await isPaused.wait()
        // Another slot's whole transfer runs meanwhile.
        _ = try await send(request, on: 1, to: RecordingReceiver()).get()
        #expect(receiver.count == 0)
        transport.resume(Slot(0))
        #expect(try await result.get().bytesReceived == Self.size)
    }

    @Test func aLongPauseCostsTheConnectionAndNoMemory() async throws {
        let (server, request) = try serve(size: 4 << 30)
        defer { server.stop() }
        let isPaused = Latch()
        let receiver = RecordingReceiver(
            keepsBytes: false,
            onHead: { _ in
                isPaused.open()
                return .pause
            })
        async let result = send(request, to: receiver)
        await isPaused.wait()
        // The origin notices that the connection is given up, long before it has sent everything: how long, the machine
        // decides, and what comes meanwhile is not kept.
        while server.requests.first?.finished == nil { await Task.yield() }
        #expect(server.bytesSent < 2 << 30)
        transport.resume(Slot(0))
        guard case .failure(.brokenInBody) = await result else {
            Issue.record("the transfer went on as if nothing had been lost")
            return
        }
        #expect((4 << 20)...(5 << 20) ~= receiver.count)
    }

    @Test(arguments: [OriginBehavior.stallBeforeHeaders(times: 1), .stallMidBody(after: 20_000, times: 1), .honest])
    func cancellingEndsItPromptlyAndForGood(behavior: OriginBehavior) async throws {
        let (server, request) = try serve([behavior], rate: 200_000)
        defer { server.stop() }
        let receiver = RecordingReceiver()
        let task = Task { await send(request, to: receiver) }
        while server.requests.isEmpty { await Task.yield() }
        task.cancel()
        guard case .failure(.cancelled) = await task.value else {
            Issue.record("not cancelled")
            return
        }
        let calls = receiver.calls.count
        _ = await send(request, on: 1, to: RecordingReceiver(keepsBytes: false, onHead: { _ in .stop }))
        #expect(receiver.calls.count == calls)
    }

    @Test func connectionsAreKeptAndFreshOnesMade() async throws {
        let (server, request) = try serve(size: 1000)
        defer { server.stop() }
        #expect(try await send(request, to: RecordingReceiver()).get().reusedConnection == false)
        #expect(try await send(request, to: RecordingReceiver()).get().reusedConnection)
        #expect(server.connectionsAccepted == 1)
        var fresh = request
        fresh.needsFreshConnection = true
        #expect(try await send(fresh, to: RecordingReceiver()).get().reusedConnection == false)
        #expect(server.connectionsAccepted == 2)
    }

    @Test func credentialsAndCookiesGoOutAndNothingIsKeptOnDisk() async throws {
        let (server, given) = try serve(fields: [OriginField("Set-Cookie", "pass=open; Path=/")], size: 1000)
        defer { server.stop() }
        var request = given
        request.credentials = BasicCredentials(name: "user", password: "sécret")
        request.fields.append("Cookie", "mine=1")
        _ = try await send(request, to: RecordingReceiver()).get()
        _ = try await send(request, to: RecordingReceiver()).get()
        let sent = server.requests.map { $0.request.fields.value("Cookie") ?? "" }
        #expect(sent == ["mine=1", "mine=1; pass=open"])
        #expect(server.requests[0].request.fields.value("Authorization") == "Basic dXNlcjpzw6ljcmV0")
        // A new transport knows nothing of it.
        let other = URLSessionTransport()
        _ = try await other.send(given, on: Slot(0), to: RecordingReceiver())
        #expect(server.requests.last?.request.fields.value("Cookie") == nil)
    }

    @Test func aCodedBodyIsRefusedBecauseItComesDecoded() async throws {
        let (server, request) = try serve([.gzipAnyway])
        defer { server.stop() }
        let receiver = RecordingReceiver()
        guard case .failure(.transportFailure) = await send(request, to: receiver) else {
            Issue.record("taken")
            return
        }
        #expect(receiver.count == 0)
    }

    @Test func theCommonRateHolds() async throws {
        let (server, request) = try serve(size: 400_000)
        defer { server.stop() }
        transport.maximumRate = 400_000
        let start = ContinuousClock.now
        #expect(try await send(request, to: RecordingReceiver()).get().bytesReceived == 400_000)
        // A tenth of a second may be made up for.
        #expect(ContinuousClock.now - start > .milliseconds(800))
    }

    @Test func aClosedPortIsARefusedConnection() async throws {
        let (server, request) = try serve()
        server.stop()
        let port = request.url.port
        let result = await send(request, to: RecordingReceiver())
        #expect(result == .failure(.connectionRefused(host: "127.0.0.1", port: port)))
    }
}
