import HaulOrigin
import HaulTestSupport
import Synchronization
import Testing

@testable import Haul

/// Addresses that expire: at the start of another run, and under way.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct RefreshTests {
    /// Counts how often somebody asked.
    private final class Clerk: Sendable {
        let asked = Mutex<[ExpiredLink]>([])
        let answer: @Sendable (ExpiredLink) throws -> FreshLink?

        init(_ answer: @escaping @Sendable (ExpiredLink) throws -> FreshLink?) { self.answer = answer }

        func serve(_ link: ExpiredLink) throws -> FreshLink? {
            asked.withLock { $0.append(link) }
            return try answer(link)
        }

        var times: Int { asked.withLock { $0.count } }
    }

    private struct NoLink: Error {}

    private let old = OriginResource("/old.bin", size: 6 << 20, seed: 3)
    private let new = OriginResource("/new.bin", size: 6 << 20, seed: 3, etag: "\"other\"")

    private var path: String { TemporaryDirectory.current + "/f.bin" }

    private func gone(_ status: Int) -> OriginResource {
        var resource = old
        resource.behaviors = [.refuses(status: status, times: .max, retryAfter: .none)]
        return resource
    }

    private func origin() throws -> OriginServer {
        var configuration = OriginConfiguration([old, new])
        configuration.totalRate = 4 << 20
        // However late the test looks, it is not over.
        configuration.silentAfter = 3 << 20
        return try OriginServer(configuration)
    }

    private func request(_ server: OriginServer, _ clerk: Clerk) -> DownloadRequest {
        var request = DownloadRequest(server.url(for: old.path), to: path)
        request.refresh = { try clerk.serve($0) }
        return request
    }

    @Test(arguments: [401, 403, 404, 410]) func onceForAllConnections(_ status: Int) async throws {
        let server = try origin()
        defer { server.stop() }
        let fresh = server.url(for: new.path)
        let clerk = Clerk { _ in FreshLink(url: fresh) }
        let download = Downloader().start(request(server, clerk))
        await reach(1 << 20, download)
        server.replace(gone(status))
        server.limit(rate: 4 << 20)
        server.dropConnections()
        let receipt = try await download.receipt
        #expect(FileContents.difference(of: path, from: old) == nil)
        #expect(clerk.times == 1)
        let link = try #require(clerk.asked.withLock { $0.first })
        #expect(link.status == status && link.url == server.url(for: old.path) && link.received > 0)
        #expect(receipt.received <= old.size + (2 << 20), "\(receipt.received)")
    }

    @Test func atTheStartOfAnotherRun() async throws {
        let server = try origin()
        defer { server.stop() }
        let fresh = server.url(for: new.path)
        let clerk = Clerk { _ in FreshLink(url: fresh) }
        let download = Downloader().start(request(server, clerk))
        await reach(2 << 20, download)
        download.pause()
        for await state in download.states where state == .paused { break }
        #expect(clerk.times == 0)
        server.replace(gone(403))
        server.limit(rate: 4 << 20)
        download.resume()
        let receipt = try await download.receipt
        #expect(FileContents.difference(of: path, from: old) == nil)
        #expect(clerk.times == 1 && receipt.received <= old.size + (2 << 20))
    }

    /// Without a strong tag, samples are compared before the first request: they find the expiry.
    @Test func whereSamplesComeFirst() async throws {
        var weak = old
        weak.behaviors = [.dateOnly]
        var configuration = OriginConfiguration([weak, new])
        configuration.totalRate = 4 << 20
        let server = try OriginServer(configuration)
        defer { server.stop() }
        let fresh = server.url(for: new.path)
        let clerk = Clerk { _ in FreshLink(url: fresh) }
        let download = Downloader().start(request(server, clerk))
        await reach(2 << 20, download)
        download.pause()
        for await state in download.states where state == .paused { break }
        server.replace(gone(404))
        server.limit(rate: 4 << 20)
        download.resume()
        _ = try await download.receipt
        #expect(FileContents.difference(of: path, from: old) == nil)
        #expect(clerk.times == 1)
    }

    @Test func anotherFileIsFetchedAnewAndNeverMixed() async throws {
        let server = try origin()
        defer { server.stop() }
        var other = new
        other.seed = 77
        server.replace(other)
        let fresh = server.url(for: new.path)
        let clerk = Clerk { _ in FreshLink(url: fresh) }
        let download = Downloader().start(request(server, clerk))
        await reach(1 << 20, download)
        server.replace(gone(403))
        server.limit(rate: 4 << 20)
        server.dropConnections()
        switch await download.resultOrLeave() {
        case .success: #expect(FileContents.difference(of: path, from: other) == nil)
        case .failure: #expect(!FileContents.exists(path))
        }
    }

    @Test func noNewAddressIsTheServersWord() async throws {
        for answer in [Clerk { _ in nil }, Clerk { _ in throw NoLink() }] {
            let server = try origin()
            defer { server.stop() }
            let download = Downloader().start(request(server, answer))
            await reach(1 << 20, download)
            server.replace(gone(403))
            server.limit(rate: 4 << 20)
            server.dropConnections()
            let error = try #require(await download.failure)
            #expect(error.code == .refused(status: 403))
            #expect(answer.times == 1)
            #expect(try #require(try Downloader().status(of: path)).finished > 0)
            download.cancelAndDiscard()
            while !FileContents.names(in: TemporaryDirectory.current).isEmpty { await Task.yield() }
        }
    }

    @Test func aNewAddressThatIsRefusedTooEndsIt() async throws {
        let server = try origin()
        defer { server.stop() }
        let nowhere = server.url(for: "/nowhere")
        let clerk = Clerk { _ in FreshLink(url: nowhere) }
        let download = Downloader().start(request(server, clerk))
        await reach(1 << 20, download)
        server.replace(gone(403))
        server.limit(rate: 4 << 20)
        server.dropConnections()
        let error = try #require(await download.failure)
        #expect(error.code == .refused(status: 404))
        #expect(clerk.times == 1)
    }

    /// An address that never brought anything has not expired.
    @Test func nothingOnHandIsNoExpiry() async throws {
        let server = try OriginServer(gone(403))
        defer { server.stop() }
        let clerk = Clerk { _ in FreshLink() }
        let error = try #require(await Downloader().start(request(server, clerk)).failure)
        #expect(error.code == .refused(status: 403) && clerk.times == 0)
        #expect(FileContents.names(in: TemporaryDirectory.current).isEmpty)
    }

    @Test func headersAreReplacedAndStayWithTheirOrigin() async throws {
        let server = try origin()
        defer { server.stop() }
        let fresh = server.url(for: new.path)
        let clerk = Clerk { _ in FreshLink(url: fresh, headers: ["X-Ticket: second"]) }
        var request = request(server, clerk)
        request.headers = ["X-Ticket: first"]
        let download = Downloader().start(request)
        await reach(1 << 20, download)
        server.replace(gone(401))
        server.limit(rate: 4 << 20)
        server.dropConnections()
        _ = try await download.receipt
        let tickets = server.requests.filter { $0.path == new.path }.map { $0.request.fields.value("X-Ticket") }
        #expect(!tickets.isEmpty && tickets.allSatisfy { $0 == "second" })
    }

    @Test func anUnexpectedSizeIsRefusedBeforeAByte() async throws {
        let server = try OriginServer(old)
        defer { server.stop() }
        var request = DownloadRequest(server.url(for: old.path), to: path)
        request.expectedSize = old.size + 1
        let error = try #require(await Downloader().start(request).failure)
        #expect(error.code == .integrity)
        #expect(FileContents.names(in: TemporaryDirectory.current).isEmpty)
        request.expectedSize = old.size
        #expect(try await Downloader().download(request).bytes == old.size)
        // Without asking the network.
        server.stop()
        request.existing = .trust
        #expect(try await Downloader().download(request).wasComplete)
        request.expectedSize = 5
        #expect(await Downloader().start(request).failure?.code == .outputExists)
    }
}

extension Download {
    /// Why it failed; nil if it did not.
    var failure: DownloadError? {
        get async {
            do throws(DownloadError) { _ = try await receipt } catch { return error }
            return nil
        }
    }
}
