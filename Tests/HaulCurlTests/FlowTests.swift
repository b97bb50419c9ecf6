import HaulCore
import HaulCurl
import HaulTestSupport
import Synchronization
import Testing

@Suite("Pause and stop", .inTurn, .timeLimit(.minutes(10)))
struct FlowTests {
    private static let content = pattern(2_000_000)

    /// Serves the content with a length, on connections that are kept.
    private func contentServer() throws -> RawServer {
        RawServer(answering: { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(Self.content.count)\r\n\r\n")
            connection.write(Self.content)
        })
    }

    @Test func pauseAtHead() async throws {
        let server = try contentServer()
        let transport = try CurlTransport()
        let recorder = Recorder(onHead: { _ in .pause })
        async let result = transport.outcome(request(server.url()), to: recorder)
        await recorder.hasHead.wait()
        #expect(recorder.body.isEmpty)
        transport.resume(Slot(0))
        #expect(try await result.get().bytesReceived == 2_000_000)
        #expect(recorder.body == Self.content)
        #expect(recorder.headCount == 1)
    }

    @Test func pauseInBodyManyTimes() async throws {
        let server = try contentServer()
        let transport = try CurlTransport()
        // Resuming from the receiver itself comes before the pause has taken effect, and must not be lost.
        let recorder = Recorder(onBytes: { _ in
            transport.resume(Slot(0))
            return .pause
        })
        let result = try await transport.outcome(request(server.url()), to: recorder)
        #expect(try result.get().bytesReceived == 2_000_000)
        #expect(recorder.body == Self.content)
    }

    @Test func nothingComesDuringAPause() async throws {
        let server = try contentServer()
        let transport = try CurlTransport()
        let paused = Signal()
        let hasPaused = Flag()
        let recorder = Recorder(onBytes: { total in
            guard total > 100_000, hasPaused.set() else { return .proceed }
            paused.fire()
            return .pause
        })
        async let result = transport.outcome(request(server.url()), to: recorder)
        await paused.wait()
        let count = recorder.body.count
        // Another slot's whole transfer runs on the same thread meanwhile.
        _ = try await transport.send(try request(server.url()), on: Slot(1), to: Recorder())
        #expect(recorder.body.count == count)
        transport.resume(Slot(0))
        #expect(try await result.get().bytesReceived == 2_000_000)
        #expect(recorder.body == Self.content)
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", answer("end")])
    func pauseAtTheEndHoldsTheAnswer(response: String) async throws {
        let server = RawServer(answering: { _, connection in connection.write(response) })
        let transport = try CurlTransport()
        let recorder = Recorder(
            onHead: { $0.fields["Content-Length"] == "0" ? .pause : .proceed }, onBytes: { _ in .pause })
        let isDone = Atomic(false)
        let task = Task {
            let result = try await transport.outcome(request(server.url()), to: recorder)
            isDone.store(true, ordering: .relaxed)
            return try result.get()
        }
        await recorder.hasHead.wait()
        if response.hasSuffix("end") { await recorder.hasBytes.wait() }
        _ = try await transport.send(try request(server.url()), on: Slot(1), to: Recorder(onBytes: { _ in .stop }))
        let isEarly = isDone.load(ordering: .relaxed)
        #expect(!isEarly)
        transport.resume(Slot(0))
        #expect(try await !task.value.stoppedByReceiver)
    }

    @Test func pauseInChunkedBody() async throws {
        let server = RawServer(answering: { _, connection in
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for start in stride(from: 0, to: Self.content.count, by: 50_000) {
                connection.write("c350\r\n")
                connection.write(Array(Self.content[start..<(start + 50_000)]))
                connection.write("\r\n")
            }
            connection.write("0\r\n\r\n")
        })
        let transport = try CurlTransport()
        let recorder = Recorder(
            onHead: { _ in
                transport.resume(Slot(0))
                return .pause
            },
            onBytes: { total in
                guard total % 3 == 0 else { return .proceed }
                transport.resume(Slot(0))
                return .pause
            })
        #expect(try await transport.outcome(request(server.url()), to: recorder).get().bytesReceived == 2_000_000)
        #expect(recorder.body == Self.content)
    }

    @Test func stopAtHead() async throws {
        let server = try contentServer()
        let recorder = Recorder(onHead: { _ in .stop })
        let summary = try await CurlTransport().outcome(request(server.url()), to: recorder).get()
        #expect(summary.stoppedByReceiver)
        #expect(summary.bytesReceived == 0)
        #expect(recorder.body.isEmpty)
    }

    @Test func stopInBodyClosesTheConnection() async throws {
        let server = try contentServer()
        let transport = try CurlTransport()
        let recorder = Recorder(onBytes: { $0 > 500_000 ? .stop : .proceed })
        let summary = try await transport.outcome(request(server.url()), to: recorder).get()
        #expect(summary.stoppedByReceiver)
        #expect(summary.bytesReceived == Int64(recorder.body.count))
        #expect(recorder.body.count > 500_000 && recorder.body.count < 520_000)
        #expect(try await !transport.send(try request(server.url()), on: Slot(0), to: Recorder()).reusedConnection)
    }

    @Test func stopAtTheLastByteKeepsTheConnection() async throws {
        let server = try contentServer()
        let transport = try CurlTransport()
        let recorder = Recorder(onBytes: { $0 == 2_000_000 ? .stop : .proceed })
        let summary = try await transport.outcome(request(server.url()), to: recorder).get()
        #expect(summary.stoppedByReceiver)
        #expect(summary.bytesReceived == 2_000_000)
        #expect(try await transport.send(try request(server.url()), on: Slot(0), to: Recorder()).reusedConnection)
    }

    @Test func stopAfterAPause() async throws {
        let server = try contentServer()
        let transport = try CurlTransport()
        let recorder = Recorder(
            onHead: { _ in .pause }, onBytes: { _ in .stop })
        async let result = transport.outcome(request(server.url()), to: recorder)
        await recorder.hasHead.wait()
        transport.resume(Slot(0))
        #expect(try await result.get().stoppedByReceiver)
    }

    @Test func stopAtHeadWithoutBody() async throws {
        let server = RawServer(answering: { _, connection in connection.write(answer("")) })
        let transport = try CurlTransport()
        let summary = try await transport.outcome(request(server.url()), to: Recorder(onHead: { _ in .stop })).get()
        #expect(summary.stoppedByReceiver)
        #expect(try await transport.send(try request(server.url()), on: Slot(0), to: Recorder()).reusedConnection)
    }

    @Test func resumeOfAnIdleSlotDoesNothing() async throws {
        let server = try contentServer()
        let transport = try CurlTransport()
        transport.resume(Slot(0))
        _ = try await transport.send(try request(server.url()), on: Slot(0), to: Recorder())
        transport.resume(Slot(0))
        transport.resume(Slot(-1))
        #expect(
            try await transport.send(try request(server.url()), on: Slot(-1), to: Recorder()).bytesReceived == 2_000_000
        )
    }

    @Test func rateLimit() async throws {
        let server = try contentServer()
        let transport = try CurlTransport()
        let limited = try request(server.url()) { $0.maximumRate = 4_000_000 }
        let recorder = Recorder()
        let time = try await ContinuousClock().measure {
            _ = try await transport.send(limited, on: Slot(0), to: recorder)
        }
        #expect(time > .milliseconds(350))
        #expect(recorder.body == Self.content)
    }

    @Test func rateLimitAndPause() async throws {
        let server = try contentServer()
        let transport = try CurlTransport()
        let limited = try request(server.url()) { $0.maximumRate = 20_000_000 }
        let recorder = Recorder(onBytes: { _ in
            transport.resume(Slot(0))
            return .pause
        })
        #expect(try await transport.outcome(limited, to: recorder).get().bytesReceived == 2_000_000)
        #expect(recorder.body == Self.content)
    }
}
