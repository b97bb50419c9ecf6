import HaulCore
import HaulCurl
import HaulTestSupport
import Synchronization
import Testing

@Suite("Connections", .inTurn, .timeLimit(.minutes(10)))
struct ConnectionTests {
    @Test func anIdleConnectionIsUsedAgain() async throws {
        let server = RawServer(answering: { _, connection in connection.write(answer("body")) })
        let transport = try CurlTransport()
        let request = try request(server.url())
        for round in 0..<5 {
            let summary = try await transport.send(request, on: Slot(0), to: Recorder())
            #expect(summary.reusedConnection == (round > 0))
        }
        #expect(server.connectionCount == 1)
    }

    @Test func aFreshConnectionIsOpenedWhenAskedFor() async throws {
        let server = RawServer(answering: { _, connection in connection.write(answer("body")) })
        let transport = try CurlTransport()
        for _ in 0..<3 {
            let fresh = try request(server.url()) { $0.needsFreshConnection = true }
            #expect(try await !transport.send(fresh, on: Slot(0), to: Recorder()).reusedConnection)
        }
        #expect(server.connectionCount == 3)
    }

    @Test func idleConnectionsOfManyWorkersAreKept() async throws {
        let server = RawServer(answering: { _, connection in connection.write(answer("body")) })
        let transport = try CurlTransport()
        let request = try request(server.url())
        for _ in 0..<2 {
            // Everyone holds its connection until all have one.
            let recorders = (0..<40).map { _ in Recorder(onHead: { _ in .pause }) }
            await withTaskGroup(of: Void.self) { group in
                for (slot, recorder) in recorders.enumerated() {
                    group.addTask { #expect(await transport.outcome(request, on: slot, to: recorder).error == nil) }
                }
                for recorder in recorders { await recorder.hasHead.wait() }
                for slot in recorders.indices { transport.resume(Slot(slot)) }
            }
        }
        #expect(server.connectionCount == 40)
    }

    @Test func leftoversOfAnEarlierAnswerAreNotTheNextAnswer() async throws {
        let sent = Signal()
        let isRead = Gate()
        let server = RawServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(answer(connection.number == 0 ? "first" : "second"))
            if connection.number == 0 {
                isRead.wait()
                connection.write(answer("stale"))
                sent.fire()
            }
            connection.waitForClose()
        }
        let transport = try CurlTransport()
        let first = Recorder()
        let second = Recorder()
        _ = try await transport.send(try request(server.url()), on: Slot(0), to: first)
        isRead.open()
        await sent.wait()
        let summary = try await transport.send(try request(server.url()), on: Slot(0), to: second)
        #expect(first.text == "first")
        #expect(second.text == "second")
        #expect(!summary.reusedConnection)
        #expect(server.connectionCount == 2)
    }

    @Test func overrunConnectionIsNotUsedAgain() async throws {
        let server = RawServer(answering: { _, connection in connection.write(answer("body") + answer("stale")) })
        let transport = try CurlTransport()
        for _ in 0..<3 {
            let recorder = Recorder()
            _ = try await transport.send(try request(server.url()), on: Slot(0), to: recorder)
            #expect(recorder.text == "body")
        }
        #expect(server.connectionCount == 3)
    }

    @Test func aConnectionClosedWhileIdleIsNoError() async throws {
        let server = RawServer { connection in
            _ = connection.readRequest()
            connection.write(answer("body"))
        }
        let transport = try CurlTransport()
        for _ in 0..<20 { _ = try await transport.send(try request(server.url()), on: Slot(0), to: Recorder()) }
        #expect(server.connectionCount == 20)
    }

    // MARK: - No connection

    @Test func refused() async throws {
        let port = RawServer.closedPort()
        let result = try await CurlTransport().outcome(request("http://127.0.0.1:\(port)/"), to: Recorder())
        #expect(result.error == .connectionRefused(host: "127.0.0.1", port: port))
    }

    @Test func connectTimeout() async throws {
        let listener = FullListener()
        defer { withExtendedLifetime(listener) {} }
        let slow = try request("http://127.0.0.1:\(listener.port)/") {
            $0.connection.connectTimeout = .milliseconds(100)
        }
        let recorder = Recorder()
        let result = try await CurlTransport().outcome(slow, to: recorder)
        #expect(result.error == .connectTimedOut)
        #expect(recorder.calls == 0)
    }

    @Test func handshakeTimeout() async throws {
        let server = RawServer { $0.waitForClose() }
        let slow = try request("https://127.0.0.1:\(server.port)/") {
            $0.connection.connectTimeout = .milliseconds(100)
        }
        #expect(try await CurlTransport().outcome(slow, to: Recorder()).error == .connectTimedOut)
    }

    @Test func handshakeWithPlainServer() async throws {
        let server = RawServer { connection in
            connection.write(answer("not TLS"))
            connection.waitForClose()
        }
        let result = try await CurlTransport().outcome(request("https://127.0.0.1:\(server.port)/"), to: Recorder())
        guard case .failure(.tls) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test func unknownHost() async throws {
        // A look-up that cannot leave the machine: libcurl refuses .onion by itself (RFC 7686) or fails to find it.
        let result = try await CurlTransport().outcome(request("http://nowhere.onion/"), to: Recorder())
        #expect(result.error == .nameNotResolved(host: "nowhere.onion"))
    }

    @Test func resolveListReplacesTheLookUp() async throws {
        let server = RawServer(answering: { request, connection in connection.write(answer(request)) })
        let recorder = Recorder()
        let request = try request("http://origin.test:\(server.port)/x") {
            $0.connection.resolve = ["origin.test:\(server.port):127.0.0.1"]
        }
        _ = try await CurlTransport().send(request, on: Slot(0), to: recorder)
        #expect(recorder.text.contains("Host: origin.test:\(server.port)\r\n"))
    }

    // MARK: - Proxy

    @Test func proxyGetsAbsoluteAddresses() async throws {
        let server = RawServer(answering: { request, connection in connection.write(answer(request)) })
        let recorder = Recorder()
        let request = try request("http://origin.test/x?y") { $0.connection.proxy = server.url("") }
        _ = try await CurlTransport().send(request, on: Slot(0), to: recorder)
        #expect(recorder.text.hasPrefix("GET http://origin.test/x?y HTTP/1.1\r\n"))
    }

    @Test func noProxyGoesPastTheProxy() async throws {
        let server = RawServer(answering: { request, connection in connection.write(answer(request)) })
        let recorder = Recorder()
        let request = try request(server.url("/x")) {
            $0.connection.proxy = "http://127.0.0.1:9/"
            $0.connection.noProxy = "127.0.0.1"
        }
        _ = try await CurlTransport().send(request, on: Slot(0), to: recorder)
        #expect(recorder.text.hasPrefix("GET /x HTTP/1.1\r\n"))
    }

    @Test(arguments: ["http", "https"])
    func proxyOutOfReach(scheme: String) async throws {
        let port = RawServer.closedPort()
        let request = try request("\(scheme)://origin.test/x") { $0.connection.proxy = "http://127.0.0.1:\(port)" }
        let result = try await CurlTransport().outcome(request, to: Recorder())
        guard case .failure(.proxy) = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test func proxyRefusesTheTunnel() async throws {
        let server = RawServer { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        }
        let request = try request("https://origin.test/x") { $0.connection.proxy = server.url("") }
        let result = try await CurlTransport().outcome(request, to: Recorder())
        guard case .failure(.proxyLogin) = result else {
            Issue.record("\(result)")
            return
        }
    }
}
