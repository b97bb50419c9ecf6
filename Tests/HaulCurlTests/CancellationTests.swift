import HaulCore
import HaulTestSupport
import Synchronization
import Testing

@testable import HaulCurl

@Suite("Cancellation", .inTurn, .timeLimit(.minutes(10)))
struct CancellationTests {
    /// Cancels a transfer once `moment` has come, and expects a prompt answer and silence afterwards.
    private func cancel(
        _ request: TransferRequest, recorder: Recorder = Recorder(), when moment: () async -> Void
    ) async throws {
        let transport = try CurlTransport()
        var request = request
        request.connection.connectTimeout = .seconds(600)
        let task = Task { [request] in await transport.outcome(request, to: recorder) }
        await moment()
        let clock = ContinuousClock()
        let start = clock.now
        task.cancel()
        #expect(await task.value.error == .cancelled)
        // Every other end of the transfer is minutes away; what remains is for a busy machine.
        #expect(clock.now - start < .seconds(40))
        let calls = recorder.calls
        // The thread still works, and nothing more came.
        let server = RawServer(answering: { _, connection in connection.write(answer("alive")) })
        #expect(
            try await transport.outcome(HaulCurlTests.request(server.url()), to: Recorder()).get().bytesReceived == 5)
        #expect(recorder.calls == calls)
    }

    @Test func beforeTheStart() async throws {
        let server = RawServer(answering: { _, connection in connection.write(answer("x")) })
        let transport = try CurlTransport()
        let request = try request(server.url())
        let recorder = Recorder()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await transport.outcome(request, to: recorder)
        }
        task.cancel()
        #expect(await task.value.error == .cancelled)
        #expect(recorder.calls == 0)
    }

    @Test func duringConnect() async throws {
        let listener = FullListener()
        defer { withExtendedLifetime(listener) {} }
        try await cancel(request("http://127.0.0.1:\(listener.port)/")) { for _ in 0..<100 { await Task.yield() } }
    }

    @Test func duringLookUp() async throws {
        try await cancel(request("http://haul-cancellation.test/")) {}
    }

    @Test func duringHandshake() async throws {
        let isConnected = Signal()
        let server = RawServer { connection in
            isConnected.fire()
            connection.waitForClose()
        }
        try await cancel(request("https://127.0.0.1:\(server.port)/")) { await isConnected.wait() }
    }

    @Test func whileWaitingForTheHead() async throws {
        let server = RawServer(answering: { _, _ in })
        let recorder = Recorder()
        try await cancel(request(server.url()), recorder: recorder) { await recorder.isConnected.wait() }
    }

    @Test func inTheBody() async throws {
        let server = RawServer(answering: { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfour")
        })
        let recorder = Recorder()
        try await cancel(request(server.url()), recorder: recorder) { await recorder.hasBytes.wait() }
    }

    @Test func whileBytesPour() async throws {
        let server = RawServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\n\r\n")
            let block = pattern(65_536)
            for _ in 0..<100_000 where connection.isOpen { connection.write(block) }
        }
        let recorder = Recorder(keepsBody: false)
        try await cancel(request(server.url()), recorder: recorder) { await recorder.hasBytes.wait() }
    }

    @Test(arguments: [false, true])
    func paused(atHead: Bool) async throws {
        let server = RawServer(answering: { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n")
            connection.write(pattern(2_000_000))
        })
        let recorder = Recorder(onHead: { _ in atHead ? .pause : .proceed }, onBytes: { _ in .pause })
        try await cancel(request(server.url()), recorder: recorder) {
            await atHead ? recorder.hasHead.wait() : recorder.hasBytes.wait()
        }
    }

    @Test func heldAtTheEnd() async throws {
        let server = RawServer(answering: { _, connection in connection.write(answer("end")) })
        let recorder = Recorder(onBytes: { _ in .pause })
        try await cancel(request(server.url()), recorder: recorder) { await recorder.hasBytes.wait() }
    }

    @Test func aThousandRacesOfStartAndCancel() async throws {
        let server = RawServer(answering: { _, connection in connection.write(answer("body")) })
        let transport = try CurlTransport()
        let request = try request(server.url())
        var finished = 0
        for round in 0..<250 {
            let results = await withTaskGroup(of: Result<TransferSummary, TransportError>.self) { group in
                for slot in 0..<4 {
                    group.addTask {
                        let task = Task { await transport.outcome(request, on: slot, to: Recorder()) }
                        for _ in 0..<(round % 25) * slot { await Task.yield() }
                        task.cancel()
                        return await task.value
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for result in results {
                switch result {
                case .success(let summary):
                    #expect(summary.bytesReceived == 4)
                    finished += 1
                case .failure(let error): #expect(error == .cancelled)
                }
            }
        }
        #expect(finished <= 1000)
    }

    // MARK: - The end of a transport

    @Test func aDroppedTransportEndsItsThreads() async throws {
        let server = RawServer(answering: { _, connection in connection.write(answer("body")) })
        var transport: CurlTransport? = try CurlTransport()
        _ = try await transport?.send(try request(server.url()), on: Slot(0), to: Recorder())
        weak let loop = transport?.startedLoops.first
        #expect(loop != nil)
        transport = nil
        while loop != nil { await Task.yield() }
    }

    @Test func transfersKeepADroppedTransport() async throws {
        let server = RawServer(answering: { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
        })
        let (tasks, loops) = try await start(on: server)
        #expect(loops.contains { $0.loop != nil })
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await task.value.error == .cancelled) }
        while loops.contains(where: { $0.loop != nil }) { await Task.yield() }
    }

    private struct WeakLoop { weak var loop: TransferLoop? }

    private func start(
        on server: RawServer
    ) async throws -> ([Task<Result<TransferSummary, TransportError>, Never>], [WeakLoop]) {
        let transport = try CurlTransport()
        let plain = try request(server.url())
        let secure = try request("https://127.0.0.1:\(server.port)/")
        let tasks = (0..<8).map { slot in
            Task { await transport.outcome(slot % 2 == 0 ? plain : secure, on: slot, to: Recorder()) }
        }
        while transport.startedLoops.count < 2 { await Task.yield() }
        return (tasks, transport.startedLoops.map { WeakLoop(loop: $0) })
    }
}
