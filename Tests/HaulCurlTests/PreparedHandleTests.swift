import HaulCore
import HaulCurl
import HaulTestSupport
import Synchronization
import Testing

/// Handles that are used again, and tasks on the thread of the transfers.
@Suite("Prepared handles", .inTurn, .timeLimit(.minutes(10)))
struct PreparedHandleTests {
    /// Answers each request with its own head.
    private func echo() -> RawServer {
        RawServer(answering: { head, connection in connection.write(answer("\(head)")) })
    }

    private func body(_ request: TransferRequest, over transport: CurlTransport) async throws -> String {
        let recorder = Recorder()
        _ = try await transport.send(request, on: Slot(0), to: recorder)
        return String(decoding: recorder.body, as: UTF8.self)
    }

    @Test("What one request says is not said by the next")
    func nothingIsLeft() async throws {
        let server = echo()
        let transport = try CurlTransport()
        let plain = try request(server.url("/plain"))
        for round in 0..<3 {
            let secret = try request(server.url("/secret\(round)")) {
                $0.fields = HTTPFields([HTTPField("X-Token", "t\(round)"), HTTPField("Cookie", "c=\(round)")])
                $0.credentials = BasicCredentials(name: "n", password: "p\(round)")
            }
            let told = try await body(secret, over: transport)
            #expect(told.contains("/secret\(round)") && told.contains("t\(round)") && told.contains("c=\(round)"))
            #expect(told.contains("Authorization"))
            for _ in 0..<2 {
                let bare = try await body(plain, over: transport)
                #expect(bare.contains("/plain") && !bare.contains("X-Token") && !bare.contains("Cookie"))
                #expect(!bare.contains("Authorization"))
            }
            let other = try request(server.url("/other")) { $0.fields = HTTPFields([HTTPField("X-Other", "o")]) }
            let others = try await body(other, over: transport)
            #expect(others.contains("X-Other") && !others.contains("X-Token"))
        }
        #expect(server.connectionCount == 1)
    }

    @Test("Other options are other handles")
    func options() async throws {
        let server = echo()
        let transport = try CurlTransport()
        for agent in ["first", "second", "first"] {
            let request = try request(server.url()) { $0.connection.userAgent = agent }
            #expect(try await body(request, over: transport).contains("User-Agent: \(agent)"))
        }
    }

    @Test("Tasks on the thread of the transfers send like others, and are cancelled like others")
    func tasks() async throws {
        let server = echo()
        let transport = try CurlTransport()
        let executor = try #require(transport.executor(isSecure: false))
        #expect(transport.executor(isSecure: true) == nil)
        let plain = try request(server.url("/plain"))
        for _ in 0..<20 {
            let task = Task(executorPreference: executor) { try await body(plain, over: transport) }
            #expect(try await task.value.contains("/plain"))
        }
        let recorder = Recorder(onHead: { _ in .pause })
        let held = Task(executorPreference: executor) { await transport.outcome(plain, to: recorder) }
        await recorder.hasHead.wait()
        held.cancel()
        #expect(await held.value.error == .cancelled)
        let late = Task(executorPreference: executor) { await transport.outcome(plain, to: Recorder()) }
        late.cancel()
        _ = await late.value
    }

    @Test("What waits for an idle moment is called, with nothing to do and with no end of it")
    func idleMoments() async throws {
        let transport = try CurlTransport()
        let executor = try #require(transport.executor(isSecure: false))
        let (calm, busy) = (Latch(), Latch())
        executor.whenIdle { calm.open() }
        await calm.wait()
        let task = Task(executorPreference: executor) {
            executor.whenIdle { busy.open() }
            // Always another step: the thread has no moment with nothing to do.
            while !busy.isOpen { await Task.yield() }
        }
        await task.value
    }
}
