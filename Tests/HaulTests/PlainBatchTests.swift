import Glibc
import Haul
import HaulOrigin
import HaulSystem
import HaulTestSupport
import Testing

/// Batches whose downloads nobody follows.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct PlainBatchTests {
    private var directory: String { TemporaryDirectory.current }

    private func requests(_ server: OriginServer, _ count: Int) -> [DownloadRequest] {
        (0..<count).map { DownloadRequest(server.url(for: "/f\($0)"), to: .directory(directory)) }
    }

    private func resources(_ count: Int, _ behaviors: OriginBehavior...) -> [OriginResource] {
        (0..<count).map { OriginResource("/f\($0)", size: Int64(5000 + $0), seed: UInt64($0), behaviors: behaviors) }
    }

    @Test("Every file is there, under its name")
    func all() async throws {
        let resources = resources(40)
        let server = try OriginServer(OriginConfiguration(resources))
        defer { server.stop() }
        var paths: Set<String> = []
        for await outcome in Downloader().download(contentsOf: requests(server, 40)) {
            paths.insert(try outcome.result.get().path)
        }
        #expect(paths.count == 40)
        for (index, resource) in resources.enumerated() {
            #expect(FileContents.difference(of: directory + "/f\(index)", from: resource) == nil)
        }
        #expect(FileContents.names(in: directory).count == 40)
        #expect(server.requests.count == 40)
    }

    @Test("Two files that want one name get two")
    func names() async throws {
        let server = try OriginServer(
            OriginConfiguration(
                (0..<3).map {
                    OriginResource("/\($0)", size: 4000, seed: UInt64($0), disposition: "attachment; filename=n.bin")
                }))
        defer { server.stop() }
        let requests = (0..<3).map { DownloadRequest(server.url(for: "/\($0)"), to: .directory(directory)) }
        for await outcome in Downloader().download(contentsOf: requests) { _ = try outcome.result.get() }
        #expect(FileContents.names(in: directory) == ["n (2).bin", "n (3).bin", "n.bin"])
        // Run again, whoever comes first: all are found, whatever their numbers.
        for await outcome in Downloader().download(contentsOf: requests) {
            #expect(try outcome.result.get().wasComplete)
        }
        #expect(FileContents.names(in: directory) == ["n (2).bin", "n (3).bin", "n.bin"])
    }

    /// Fetches files, and gathers how those that fail do.
    private func failures(
        of requests: [DownloadRequest], by downloader: Downloader
    ) -> Task<[DownloadError.Code], Never> {
        Task {
            var codes: [DownloadError.Code] = []
            for await outcome in downloader.download(contentsOf: requests) {
                if case .failure(let error) = outcome.result { codes.append(error.code) }
            }
            return codes
        }
    }

    @Test("Shutting down ends them, and each is told of")
    func shutDown() async throws {
        let server = try OriginServer(OriginConfiguration(resources(20, .stallBeforeHeaders(times: 1000))))
        defer { server.stop() }
        let downloader = Downloader()
        let outcomes = failures(of: requests(server, 20), by: downloader)
        while server.requests.isEmpty { await Task.yield() }
        await downloader.shutDown()
        #expect(await outcomes.value.count == 20)
        #expect(FileContents.names(in: directory).isEmpty)
    }

    @Test("Connections are no more than downloads at once")
    func connections() async throws {
        let server = try OriginServer(OriginConfiguration(resources(200)))
        defer { server.stop() }
        var limits = DownloaderOptions()
        limits.maximumConcurrentDownloads = 3
        for await outcome in Downloader(options: limits).download(contentsOf: requests(server, 200)) {
            _ = try outcome.result.get()
        }
        #expect(server.connectionsAccepted <= 3)
    }

    #if DEBUG
        @Test("Where files can't be made without a name, or not be named, it is tried once", arguments: [true, false])
        func unnamed(_ canBeMade: Bool) async throws {
            let resources = resources(40)
            let server = try OriginServer(OriginConfiguration(resources))
            defer { server.stop() }
            let plan = FaultPlan(for: directory + "/")
            if canBeMade {
                plan.disturb(.linkat, times: .max, .error(ENOENT))
            } else {
                plan.disturb(.open, times: 1, .error(EOPNOTSUPP))
            }
            plan.install()
            defer { plan.remove() }
            var limits = DownloaderOptions()
            limits.maximumConcurrentDownloads = 1
            var options = DownloadOptions()
            options.syncsBeforePublishing = false
            for await outcome in Downloader(options: limits).download(
                contentsOf: requests(server, 40), options: options)
            {
                _ = try outcome.result.get()
            }
            for (index, resource) in resources.enumerated() {
                #expect(FileContents.difference(of: directory + "/f\(index)", from: resource) == nil)
            }
            // Those that wait behind the network when it turns out have been made.
            #expect(plan.count(.linkat) <= 4)
            #expect(FileContents.names(in: directory).count == 40 && server.requests.count == 40)
        }
    #endif

    @Test("Whoever is told of one and asks for the next gets it")
    func chain() async throws {
        let server = try OriginServer(OriginConfiguration(resources(40)))
        defer { server.stop() }
        let all = requests(server, 40)
        let (source, more) = AsyncStream.makeStream(of: DownloadRequest.self)
        for request in all.prefix(2) { more.yield(request) }
        var count = 0
        for await outcome in Downloader().download(contentsOf: source) {
            _ = try outcome.result.get()
            count += 1
            if count + 1 < all.count { more.yield(all[count + 1]) } else { more.finish() }
        }
        #expect(count == 40)
    }

    @Test("Cancelling ends those under way and those that wait, and each is told of")
    func cancel() async throws {
        let server = try OriginServer(OriginConfiguration(resources(20, .stallBeforeHeaders(times: 1000))))
        defer { server.stop() }
        let downloader = Downloader()
        let outcomes = failures(of: requests(server, 20), by: downloader)
        while server.requests.count < 4 || downloader.waiting < 16 { await Task.yield() }
        outcomes.cancel()
        let codes = await outcomes.value
        #expect(codes == Array(repeating: .cancelled, count: 20))
        #expect(downloader.waiting == 0 && downloader.bufferedBytes == 0)
        #expect(FileContents.names(in: directory).isEmpty)
    }
}
