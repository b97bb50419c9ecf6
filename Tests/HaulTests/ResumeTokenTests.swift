import Haul
import HaulOrigin
import HaulTestSupport
import Testing

@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct ResumeTokenTests {
    private let resource = OriginResource("/big.bin", size: 6 << 20, seed: 3)

    private var path: String { TemporaryDirectory.current + "/big.bin" }

    /// Fetches a part, and stops.
    private func stopped(
        _ server: OriginServer, query: String = "", options: DownloadOptions = DownloadOptions(),
        range: DownloadRequest.RequestedRange? = nil
    ) async throws -> Download {
        var request = DownloadRequest(server.url(for: resource.path) + query, to: path)
        request.range = range
        let download = Downloader().start(request, options: options)
        await reach(2 << 20, download)
        download.cancel()
        for await _ in download.states {}
        return download
    }

    @Test func goesOnElsewhereFromText() async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        var options = DownloadOptions()
        options.temporaryDirectory = TemporaryDirectory.current
        let download = try await stopped(server, query: "?token=secret", options: options)
        let text = try #require(try download.resumeToken()).description
        #expect(text.utf8.count < 600 && !text.contains("secret"))
        // What another process would do.
        let token = try #require(ResumeToken(text))
        #expect(token.path == path && token.needsAddress && token.size == resource.size)
        #expect(token.url == server.url(for: resource.path))
        #expect(throws: DownloadError.self) { try DownloadRequest(resuming: token) }
        let request = try DownloadRequest(resuming: token, from: server.url(for: resource.path) + "?token=fresh")
        server.limit()
        let receipt = try await Downloader().download(request)
        #expect(receipt.resumed >= 2 << 20 && receipt.path == path)
        #expect(FileContents.difference(of: path, from: resource) == nil)
        #expect(FileContents.names(in: TemporaryDirectory.current) == ["big.bin"])
    }

    @Test func anotherVersionIsFetchedAnew() async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        let token = try #require(try await stopped(server).resumeToken())
        #expect(!token.needsAddress)
        var other = resource
        (other.seed, other.etag) = (9, "\"v2\"")
        server.replace(other)
        server.limit()
        let receipt = try await Downloader().download(try DownloadRequest(resuming: token))
        #expect(receipt.resumed == 0)
        #expect(FileContents.difference(of: path, from: other) == nil)
    }

    @Test func aRangeStaysARange() async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        let token = try #require(try await stopped(server, range: .from(1 << 20)).resumeToken())
        let request = try DownloadRequest(resuming: try #require(ResumeToken(token.description)))
        #expect(request.range == .from(1 << 20))
        server.limit()
        let receipt = try await Downloader().download(request)
        #expect(receipt.bytes == 5 << 20 && receipt.resumed >= 2 << 20)
        let expected = resource.content.bytes(1 << 20..<6 << 20)
        #expect(try FileContents.read(path) == expected)
    }

    @Test func whatIsGoneIsFetchedAndTold() async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        let stopped = try await stopped(server)
        let token = try #require(try stopped.resumeToken())
        stopped.cancelAndDiscard()
        while !FileContents.names(in: TemporaryDirectory.current).isEmpty { await Task.yield() }
        server.limit()
        let download = Downloader().start(try DownloadRequest(resuming: token))
        #expect(try await download.receipt.resumed == 0)
        var notices: [String] = []
        for await event in download.events { if case .notice(let text) = event { notices.append(text) } }
        #expect(notices.contains { $0.contains("gone") })
    }

    @Test func damageIsSeen() async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        let text = Array(try #require(try await stopped(server).resumeToken()).description)
        #expect(ResumeToken(String(text)) != nil)
        for index in text.indices {
            var damaged = text
            damaged[index] = damaged[index] == "A" ? "B" : "A"
            // Padding and the bits that it leaves unused carry nothing.
            if index >= text.count - 3 { continue }
            #expect(ResumeToken(String(damaged)) == nil, "\(index)")
            #expect(ResumeToken(String(text[..<index])) == nil)
        }
        #expect(ResumeToken("") == nil && ResumeToken("haul1-") == nil && ResumeToken("haul1-AAAA") == nil)
    }

    @Test func unfinishedOnesAreListedAndGoOn() async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        _ = try await stopped(server)
        let downloader = Downloader()
        try FileContents.write([1, 2, 3], to: TemporaryDirectory.current + "/odd.haul")
        let found = try downloader.unfinished(in: TemporaryDirectory.current)
        #expect(found.map(\.path) == [path, TemporaryDirectory.current + "/odd"])
        let partial = try #require(found.first)
        #expect(partial.finished >= 2 << 20 && partial.size == resource.size && partial.problem == nil)
        #expect(found.last?.problem != nil && found.last.flatMap { ResumeToken($0) } == nil)
        let token = try #require(ResumeToken(partial))
        server.limit()
        #expect(try await downloader.download(try DownloadRequest(resuming: token)).resumed >= 2 << 20)
        try await downloader.discard(try #require(found.last))
        #expect(try downloader.unfinished(in: TemporaryDirectory.current).isEmpty)
        #expect(throws: DownloadError.self) { try downloader.unfinished(in: path + "/nowhere") }
    }
}
