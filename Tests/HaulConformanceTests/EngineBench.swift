import Glibc
import HaulCore
import HaulOrigin
import HaulSystem
import HaulTestSupport
import Testing

@testable import Haul

/// Runs the real engine against one origin, over sockets or in memory, with limits so small that a few hundred kilobytes
/// are divided as gigabytes are.
struct EngineBench {
    /// How a download ended, and what the origin saw.
    struct Ending {
        var result: Result<DownloadReceipt, DownloadError>
        var events: [DownloadEvent]
        var requests: [OriginRecord]
        var path: String
    }

    static let resourcePath = "/big.bin"
    static let size: Int64 = 400_000

    var wire: Wire
    /// Most connections; nil lets the engine find out.
    var connections: Int? = 4
    var retries = 5
    var checksums: [Checksum] = []
    var prefix: String?
    /// Whether the bytes go to a descriptor of a new file at the path.
    var streams = false
    var window: Int64 = 128 << 10
    var range: DownloadRequest.RequestedRange?
    var existing = DownloadRequest.ExistingFilePolicy.verify
    /// Directory for partial and journal; nil is beside the file.
    var temporaryDirectory: String?
    /// Whether the file is synced together with others, as in a batch.
    var groupsSyncs = false
    /// Fewest files for which such a group syncs the whole file system.
    var fewestSynced = 4
    /// How many seconds pass in one.
    var speed: Double = 50

    /// Fetches `resource` to `path`.
    func run(_ resource: OriginResource, to path: String, adjust: (inout OriginConfiguration) -> Void = { _ in })
        async throws -> Ending
    {
        var configuration = OriginConfiguration([resource])
        configuration.speed = speed
        adjust(&configuration)
        guard let socketTransport = try wire.socketTransport() else {
            let transport = ScriptedTransport(configuration, time: .continuous(speed: speed))
            let (result, events) = try await fetch(
                "http://origin.test\(resource.path)", to: path, over: transport)
            return Ending(result: result, events: events, requests: transport.requests, path: path)
        }
        let server = try OriginServer(configuration)
        defer { server.stop() }
        let (result, events) = try await fetch(server.url(for: resource.path), to: path, over: socketTransport)
        return Ending(result: result, events: events, requests: server.requests, path: path)
    }

    /// Fetches from several hosts in memory: the first is asked, the others are mirrors.
    func run(
        hosts: [(name: String, configuration: OriginConfiguration)], path resource: String, to path: String
    ) async throws -> (ending: Ending, transport: ScriptedTransport) {
        let transport = ScriptedTransport(
            hosts: Dictionary(uniqueKeysWithValues: hosts.map { ($0.name, $0.configuration) }),
            time: .continuous(speed: speed))
        let addresses = hosts.map { "http://\($0.name)\(resource)" }
        let (result, events) = try await fetch(
            addresses[0], mirrors: Array(addresses.dropFirst()), to: path, over: transport)
        let ending = Ending(result: result, events: events, requests: transport.requests, path: path)
        return (ending, transport)
    }

    /// Fetches over any transport.
    func fetch(
        _ address: String, mirrors: [String] = [], to path: String, over network: some Transport
    ) async throws -> (Result<DownloadReceipt, DownloadError>, [DownloadEvent]) {
        let descriptor = streams ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600) : -1
        defer { if streams { close(descriptor) } }
        var request = DownloadRequest(address, to: streams ? .descriptor(descriptor) : .file(path))
        request.range = range
        request.checksums = checksums
        request.mirrors = mirrors
        request.prefix = prefix
        request.existing = existing
        var options = DownloadOptions()
        options.connections = connections
        options.retries = retries
        options.temporaryDirectory = temporaryDirectory
        // Long enough on a busy machine, where fifty seconds pass in one.
        options.stallTimeout = .seconds(60)
        var split = SplitPolicy()
        split.connections = connections ?? DownloadOptions.automaticLimit
        split.growsConnections = connections == nil
        split.minimumSplit = 16 << 10
        split.leastProbe = 32 << 10
        split.alignment = 4 << 10
        split.window = streams ? window : nil
        let events = AsyncStream.makeStream(of: DownloadEvent.self)
        let url = try network.parse(address, relativeTo: nil)
        let threads = DiskThreads()
        let syncs = SyncGroup(thread: ThreadExecutor(name: "haul.sync"), fewest: fewestSynced)
        let engine = DownloadEngine(
            request: request, options: options, url: url,
            mirrors: try request.mirrors.map { try network.parse($0, relativeTo: nil) },
            scope: try CredentialScope(origin: url.origin), network: network, time: .continuous(speed: speed),
            splitPolicy: split, wallClock: WallClock.secondsSince1970, threads: threads,
            sink: ProgressSink { _ in
            } events: {
                events.continuation.yield($0)
            }, firstSlot: 0, seed: 7, syncs: groupsSyncs ? syncs : nil)
        let result = await engine.run()
        events.continuation.finish()
        var seen: [DownloadEvent] = []
        for await event in events.stream { seen.append(event) }
        return (result, seen)
    }
}
