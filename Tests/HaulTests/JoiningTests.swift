import Haul
import HaulOrigin
import HaulTestSupport
import Testing

/// Who asks for what is under way, at rest, or just being ended.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct JoiningTests {
    private let resource = OriginResource("/big.bin", size: 6 << 20, seed: 3)

    private func path() -> String { TemporaryDirectory.current + "/big.bin" }

    /// A download of which a part has come.
    private func underWay(from server: OriginServer, by downloader: Downloader) async -> Download {
        let download = downloader.start(DownloadRequest(server.url(for: resource.path), to: path()))
        await reach(1 << 20, download)
        return download
    }

    /// At rest already, or on the way there.
    @Test(arguments: [false, true]) func whoWaitsForAPausedFileMakesItGoOn(rests: Bool) async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        let downloader = Downloader()
        let download = await underWay(from: server, by: downloader)
        download.pause()
        if rests { await reach(.paused, download) }
        server.limit()
        let receipt = try await downloader.download(download.request)
        #expect(receipt.bytes == resource.size)
        #expect(try await download.receipt == receipt)
        #expect(FileContents.difference(of: path(), from: resource) == nil)
    }

    /// It has the pause in its own hands.
    @Test func whoStartsAPausedFileGetsItAtRest() async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        let downloader = Downloader()
        let download = await underWay(from: server, by: downloader)
        download.pause()
        await reach(.paused, download)
        server.limit()
        server.forgetRequests()
        let same = downloader.start(download.request)
        #expect(same === download && same.state == .paused)
        same.resume()
        #expect(try await download.receipt.bytes == resource.size)
    }

    /// A pause after that is a pause: whoever waits, waits on.
    @Test func whoPausesWhatOthersWaitForHoldsThemUp() async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        let downloader = Downloader()
        let request = DownloadRequest(server.url(for: resource.path), to: path())
        let waiter = Task { try await downloader.download(request) }
        while server.requests.isEmpty { await Task.yield() }
        let download = downloader.start(request)
        await reach(1 << 20, download)
        download.pause()
        await reach(.paused, download)
        server.limit()
        #expect(download.result == nil)
        download.resume()
        #expect(try await waiter.value.bytes == resource.size)
    }

    /// What was ended for others is not ended for who comes after.
    @Test(arguments: [false, true]) func whoAsksRightAfterACancelGetsTheFile(discards: Bool) async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        let downloader = Downloader()
        let download = await underWay(from: server, by: downloader)
        if discards { download.cancelAndDiscard() } else { download.cancel() }
        server.limit()
        let receipt = try await downloader.download(download.request)
        #expect(download.state == .cancelled)
        #expect(discards ? receipt.resumed == 0 : receipt.resumed >= 1 << 20)
        #expect(FileContents.difference(of: path(), from: resource) == nil)
        #expect(FileContents.names(in: TemporaryDirectory.current) == ["big.bin"])
    }
}
