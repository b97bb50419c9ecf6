import Glibc
import Haul
import HaulOrigin
import HaulTestSupport
import Synchronization
import Testing

/// The recipes of the documentation, against origins that break, refuse and change.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct RecipeTests {
    /// What callbacks were called with.
    private final class Diary: Sendable {
        struct Pages {
            var steps: [Int64] = []
            var paths: [String] = []
            var errors: [DownloadError] = []
        }

        let pages = Mutex(Pages())
    }

    private let resource = OriginResource(
        "/big.bin", size: 4 << 20, seed: 5, behaviors: [.closesEvery(bytes: 700_000)])

    private var folder: String { TemporaryDirectory.current }

    private func make(_ name: String) throws -> String {
        let path = folder + "/" + name
        try #require(mkdir(path, 0o700) == 0)
        return path
    }

    // MARK: - Resume by what is on disk

    private func resumeBySize(_ server: OriginServer, at path: String) async -> Diary.Pages {
        let diary = Diary()
        await HaulRecipeTests.resumeBySize(
            server.url(for: resource.path), to: path,
            progress: { received, _ in diary.pages.withLock { $0.steps.append(received) } },
            success: { path in diary.pages.withLock { $0.paths.append(path) } },
            failure: { error in diary.pages.withLock { $0.errors.append(error) } }
        ).value
        return diary.pages.withLock { $0 }
    }

    /// What may lie at the path: bytes of the file, and bytes of something else behind them.
    @Test(
        arguments: [(0, 0), (1_500_000, 0), (4 << 20, 0), (0, 300_000), (0, 5 << 20), (4 << 20, 10)] as [(Int64, Int64)]
    )
    func bySize(_ right: Int64, _ wrong: Int64) async throws {
        let server = try OriginServer(resource)
        defer { server.stop() }
        let path = folder + "/f.bin"
        let other = OriginContent(seed: 99)
        try FileContents.write(resource.content.bytes(0..<right) + other.bytes(right..<right + wrong), to: path)
        let pages = await resumeBySize(server, at: path)
        #expect(pages.paths == [path] && pages.errors.isEmpty, "\(pages.errors)")
        #expect(pages.steps == pages.steps.sorted() && pages.steps.last == resource.size)
        #expect(FileContents.difference(of: path, from: resource) == nil)
        let sent = server.requests.reduce(0) { $0 + $1.bodyBytes }
        let limit = wrong > 0 ? resource.size : resource.size - right
        // What is compared comes besides.
        #expect(sent <= limit + (3 << 20), "\(sent)")
        #expect(FileContents.names(in: folder) == ["f.bin"])
    }

    @Test func bySizeTellsFailure() async throws {
        let server = try OriginServer(OriginConfiguration())
        defer { server.stop() }
        let pages = await resumeBySize(server, at: folder + "/f.bin")
        #expect(pages.paths.isEmpty && pages.errors.map(\.code) == [.refused(status: 404)])
        #expect(FileContents.names(in: folder).isEmpty)
    }

    // MARK: - Stop and go on

    @Test func stopsAndGoesOnUnderTheServersName() async throws {
        let (temporary, caches) = (try make("tmp"), try make("caches"))
        var named = resource
        named.disposition = "attachment; filename=\"model.bin\""
        var configuration = OriginConfiguration([named])
        configuration.totalRate = 2 << 20
        // However late the test looks, it is not over.
        configuration.silentAfter = 2 << 20
        let server = try OriginServer(configuration)
        defer { server.stop() }
        let url = server.url(for: resource.path) + "?signature=secret"
        let fetch = StoppableFetch(url, temporary: temporary, caches: caches, by: Downloader())
        for await progress in fetch.download.progress where progress.received >= 1 << 20 { break }
        let resumeData = try #require(try await fetch.stop())
        #expect(!resumeData.contains("secret"))
        #expect(FileContents.names(in: caches).isEmpty)
        server.limit()
        server.forgetRequests()
        #expect(throws: (any Error).self) { _ = try StoppableFetch(resumeData: "nonsense", by: Downloader()) }
        let rest = try StoppableFetch(resumeData: resumeData, url: url, by: Downloader())
        let receipt = try await rest.download.receipt
        #expect(receipt.path == caches + "/model.bin" && receipt.resumed >= 1 << 20)
        #expect(FileContents.difference(of: receipt.path, from: named) == nil)
        #expect(FileContents.names(in: temporary).isEmpty)
        #expect(try await rest.stop() == nil)
    }

    // MARK: - Two folders

    private func twoFolders(_ server: OriginServer, asksServer: Bool = true) throws -> TwoFolderFetch {
        TwoFolderFetch(
            server.url(for: resource.path), name: "f.bin", temporary: folder + "/tmp", final: folder + "/final",
            asksServer: asksServer, by: Downloader())
    }

    /// What an older program may have left in the temporary folder, in bytes of the file, and how many are not its.
    @Test(arguments: [(0, 0), (1_500_000, 0), (4 << 20, 0), (4 << 20, 100), (0, 300_000)] as [(Int64, Int64)])
    func twoFolders(_ right: Int64, _ wrong: Int64) async throws {
        let server = try OriginServer(resource)
        defer { server.stop() }
        let (temporary, final) = (try make("tmp"), try make("final"))
        let left = resource.content.bytes(0..<right) + OriginContent(seed: 99).bytes(right..<right + wrong)
        if !left.isEmpty { try FileContents.write(left, to: temporary + "/f.bin") }
        let fetch = try twoFolders(server)
        #expect(try await !fetch.wait())
        #expect(FileContents.difference(of: final + "/f.bin", from: resource) == nil)
        let sent = server.requests.reduce(0) { $0 + $1.bodyBytes }
        if right == resource.size, wrong == 0 { #expect(sent < 2 << 20, "\(sent)") }
        // There already: asked, and believed.
        #expect(try await twoFolders(server).wait())
        server.stop()
        #expect(try await twoFolders(server, asksServer: false).wait())
    }

    @Test func twoFoldersPauseAndClean() async throws {
        let (temporary, final) = (try make("tmp"), try make("final"))
        var configuration = OriginConfiguration([resource])
        configuration.totalRate = 2 << 20
        // However late the test looks, it is not over.
        configuration.silentAfter = 2 << 20
        let server = try OriginServer(configuration)
        defer { server.stop() }
        let fetch = try twoFolders(server)
        for await state in fetch.states where state == .downloading { break }
        fetch.pause()
        for await state in fetch.states where state == .paused { break }
        fetch.resume()
        for await state in fetch.states where state == .downloading { break }
        fetch.cancelAndClean()
        var last: DownloadState?
        for await state in fetch.states { last = state }
        #expect(last == .cancelled)
        #expect(FileContents.names(in: temporary).isEmpty && FileContents.names(in: final).isEmpty)
        server.limit()
        #expect(try await !twoFolders(server).wait())
    }

    // MARK: - Many at once

    @Test func manyAtOnceAndAfterRelaunch() async throws {
        let final = try make("final")
        let resources = (0..<40).map {
            OriginResource(
                "/\($0).bin", size: 20_000 + Int64($0) * 3000, seed: UInt64($0),
                behaviors: $0 % 5 == 0 ? [.refuses(status: 503, times: 1, retryAfter: .none)] : [])
        }
        let server = try OriginServer(OriginConfiguration(resources))
        defer { server.stop() }
        let urls = resources.map { server.url(for: $0.path) }
        // What a run before had begun.
        let begun = Downloader().start(DownloadRequest(server.url(for: resource.path), to: final + "/big.bin"))
        server.replace(resource)
        _ = try? await begun.receipt
        let ended = Mutex<[String: Result<String, DownloadError>]>([:])
        let count = await BulkDownloads.fetch(urls + [server.url(for: "/missing")] + urls, into: final) { url, result in
            ended.withLock { $0[url] = result }
        }
        #expect(count == 80)
        #expect(ended.withLock { $0.count } == 41)
        for resource in resources {
            #expect(FileContents.difference(of: final + resource.path, from: resource) == nil)
        }
        server.forgetRequests()
        #expect(await BulkDownloads.fetch(urls, into: final) == 40)
        #expect(server.requests.reduce(0) { $0 + $1.bodyBytes } < 40 * (64 << 10))
        #expect(try BulkDownloads.unfinished(in: final).isEmpty)
    }

    @Test func bulkGoesOnWithWhatWasBegun() async throws {
        let final = try make("final")
        var configuration = OriginConfiguration([resource])
        configuration.totalRate = 2 << 20
        // However late the test looks, it is not over.
        configuration.silentAfter = 2 << 20
        let server = try OriginServer(configuration)
        defer { server.stop() }
        let url = server.url(for: resource.path)
        let begun = Downloader().start(DownloadRequest(url, to: .directory(final)))
        for await progress in begun.progress where progress.received >= 1 << 20 { break }
        begun.cancel()
        for await _ in begun.states {}
        let held = try #require(try BulkDownloads.unfinished(in: final)[final + "/big.bin"])
        #expect(held >= 1 << 20)
        server.limit()
        server.forgetRequests()
        #expect(await BulkDownloads.fetch([url], into: final) == 1)
        #expect(FileContents.difference(of: final + "/big.bin", from: resource) == nil)
        #expect(server.requests.reduce(0) { $0 + $1.bodyBytes } <= resource.size - held + (1 << 20))
    }
}
