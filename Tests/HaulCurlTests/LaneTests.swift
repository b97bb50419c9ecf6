import HaulCore
import HaulCurl
import HaulTestSupport
import Synchronization
import Testing

/// Threads of plain http that tasks run on, each with its own connections.
@Suite("Lanes", .inTurn, .timeLimit(.minutes(10)))
struct LaneTests {
    /// Lanes that a machine has which has no fewer cores.
    private let lanes = 0..<2

    private func executor(_ lane: Int, of transport: CurlTransport) throws -> any ArrivalExecutor {
        try #require(transport.executor(isSecure: false, lane: lane))
    }

    /// Whether two lanes are two threads on this machine.
    private func areTwo(in transport: CurlTransport) throws -> Bool {
        ObjectIdentifier(try executor(0, of: transport)) != ObjectIdentifier(try executor(1, of: transport))
    }

    @Test("Each lane has a connection of its own, and whoever is on none has that of the first")
    func connections() async throws {
        let server = RawServer(answering: { _, connection in connection.write(answer("x")) })
        let transport = try CurlTransport()
        let plain = try request(server.url())
        for _ in 0..<5 {
            for lane in lanes {
                let task = Task(executorPreference: try executor(lane, of: transport)) {
                    await transport.outcome(plain, to: Recorder())
                }
                _ = try await task.value.get()
            }
            _ = try await transport.outcome(plain, to: Recorder()).get()
        }
        #expect(server.connectionCount == (try areTwo(in: transport) ? 2 : 1))
    }

    @Test("What is paused in a lane goes on, and is cancelled by its slot, from anywhere")
    func slots() async throws {
        let server = RawServer(answering: { _, connection in connection.write(answer("x")) })
        let transport = try CurlTransport()
        let plain = try request(server.url())
        for lane in lanes {
            let slot = 7 + lane
            for isCancelled in [false, true] {
                let recorder = Recorder(onHead: { _ in .pause })
                let task = Task(executorPreference: try executor(lane, of: transport)) {
                    await transport.outcome(plain, on: slot, to: recorder)
                }
                await recorder.hasHead.wait()
                if isCancelled { transport.cancel(Slot(slot)) } else { transport.resume(Slot(slot)) }
                let outcome = await task.value
                #expect(outcome.error == (isCancelled ? .cancelled : nil))
                #expect(recorder.body.isEmpty == isCancelled)
            }
        }
    }

    @Test("A lane that has nothing to do for a while closes its connections, and goes on later")
    func idleConnections() async throws {
        let closed = Latch()
        let server = RawServer { connection in
            while connection.readRequest() != nil { connection.write(answer("x")) }
            closed.open()
        }
        let transport = try CurlTransport()
        // Where there is one thread it keeps them.
        guard try areTwo(in: transport) else { return }
        let plain = try request(server.url())
        for round in 1...2 {
            let task = Task(executorPreference: try executor(1, of: transport)) {
                await transport.outcome(plain, to: Recorder())
            }
            _ = try await task.value.get()
            #expect(server.connectionCount == round)
            await closed.wait()
            closed.close()
        }
    }

    @Test("What waits for an idle moment is called, with nothing to do and with no end of it")
    func idleMoments() async throws {
        let transport = try CurlTransport()
        let executor = try executor(0, of: transport)
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
