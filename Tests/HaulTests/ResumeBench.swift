import HaulCore
import HaulCurl
import HaulOrigin
import HaulTestSupport
import Synchronization

@testable import Haul

/// Interrupts a download and runs it again, at the same address but perhaps against another origin.
final class ResumeBench: Sendable {
    /// Large enough that samples and overlaps are a small part of it.
    static let size: Int64 = 3_000_000
    /// Most bytes that an interruption may cost besides: what the transport handed over and had not written yet.
    static let loss: Int64 = 4 * (64 << 10)

    let wire: EngineBench.Wire
    let path: String
    private let server = OriginLock<OriginServer?>(nil)

    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    init(_ wire: EngineBench.Wire, path: String) {
        self.wire = wire
        self.path = path
    }

    /// Partial and journal.
    var files: (part: String, journal: String) { (path + ".haul", path + ".haul-journal") }

    /// What the journal says.
    func replay() throws -> JournalReplay {
        let bytes = try FileContents.read(files.journal)
        return try JournalReplay(bytes.span)
    }

    /// Bytes that the journal names as finished.
    func journaled() throws -> Int64 {
        guard FileContents.exists(files.journal) else { return 0 }
        let replay = try replay()
        return ByteRangeSet(replay.finished.map(\.range)).total
    }

    /// Fetches with a limited rate until so many bytes have been sent, then cancels.
    ///
    /// - Returns: number of bytes that the origin sent.
    func interrupt(
        _ resource: OriginResource, target: String? = nil, after count: Int64, bench: EngineBench? = nil
    ) async throws -> Int64 {
        var configuration = OriginConfiguration([resource])
        configuration.totalRate = 1 << 20
        // On a loaded machine it would be done before anybody looks.
        configuration.silentAfter = count
        let ending = try await run(configuration, target ?? resource.path, bench, cancelAfter: count)
        return ending.requests.reduce(0) { $0 + $1.bodyBytes }
    }

    /// Fetches without limits.
    func resume(
        _ resource: OriginResource, target: String? = nil, bench: EngineBench? = nil
    ) async throws -> EngineBench.Ending {
        try await run(OriginConfiguration([resource]), target ?? resource.path, bench, cancelAfter: nil)
    }

    private func run(
        _ configuration: OriginConfiguration, _ target: String, _ bench: EngineBench?, cancelAfter: Int64?
    ) async throws -> EngineBench.Ending {
        var bench = bench ?? EngineBench(wire: wire)
        // Sockets on a loaded machine are slow when a second lasts a fiftieth of one: slow connections are raced.
        if wire == .curl { bench.speed = 2 }
        var configuration = configuration
        configuration.speed = bench.speed
        switch wire {
        case .scripted:
            let transport = ScriptedTransport(configuration, time: .continuous(speed: bench.speed))
            return try await drive(bench, "http://origin.test" + target, transport, cancelAfter) {
                transport.requests.reduce(0) { $0 + $1.bodyBytes }
            } requests: {
                transport.requests
            }
        case .curl:
            // An answer of the run before may still be going out: it counts for when the origin falls silent.
            let before = server.withLock { $0?.bytesSent ?? 0 }
            let server = try server(configuration)
            server.forgetRequests()
            return try await drive(bench, server.url(for: target), try CurlTransport(), cancelAfter) {
                server.bytesSent - before
            } requests: {
                server.requests
            }
        }
    }

    /// The one origin of all runs: another could not have its port for sure.
    private func server(_ configuration: OriginConfiguration) throws -> OriginServer {
        if let server = server.withLock({ $0 }) {
            for resource in configuration.resources { server.replace(resource) }
            server.limit(rate: configuration.totalRate, silentAfter: configuration.silentAfter)
            return server
        }
        let started = try OriginServer(configuration)
        server.withLock { $0 = started }
        return started
    }

    private func drive(
        _ bench: EngineBench, _ address: String, _ network: some Transport, _ cancelAfter: Int64?,
        sent: @Sendable () -> Int64, requests: @Sendable () -> [OriginRecord]
    ) async throws -> EngineBench.Ending {
        let isOver = Flag()
        let path = path
        let task = Task {
            defer { isOver.value.store(true, ordering: .releasing) }
            return try await bench.fetch(address, to: path, over: network)
        }
        if let cancelAfter {
            while !isOver.value.load(ordering: .acquiring), sent() < cancelAfter {
                try await Task.sleep(for: .milliseconds(1))
            }
            task.cancel()
        }
        let (result, events) = try await task.value
        return EngineBench.Ending(result: result, events: events, requests: requests(), path: path)
    }
}
