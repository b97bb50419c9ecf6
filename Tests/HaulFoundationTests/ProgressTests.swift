import Foundation
import Haul
import HaulFoundation
import HaulOrigin
import HaulTestSupport
import Testing

/// `Progress` shows a download and steers it, over both networks.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct ProgressTests {
    enum Network: CaseIterable, Sendable {
        case curl
        case urlSession

        var downloader: Downloader { self == .curl ? Downloader() : .overURLSession() }
    }

    private static let size: Int64 = 3_000_000
    private let file = URL(fileURLWithPath: TemporaryDirectory.current + "/out.bin")

    private func origin(size: Int64 = size, rate: Int64? = nil) throws -> (server: OriginServer, url: URL) {
        var configuration = OriginConfiguration([OriginResource("/f", size: size)])
        configuration.totalRate = rate
        let server = try OriginServer(configuration)
        return (server, try #require(URL(string: server.url(for: "/f"))))
    }

    private func wait(for state: DownloadState, of download: Download) async -> Bool {
        for await present in download.states where present == state { return true }
        return download.state == state
    }

    @Test(arguments: Network.allCases, [size, 0])
    func countsToTheEnd(network: Network, size: Int64) async throws {
        let (server, url) = try origin(size: size)
        defer { server.stop() }
        let download = network.downloader.start(from: url, to: file)
        let progress = download.makeProgress()
        #expect(progress.isPausable && progress.isCancellable)
        let receipt = try await download.receipt
        #expect(receipt.bytes == size)
        #expect(receipt.fileURL == file)
        for _ in 0..<2000 where !progress.isFinished { try await Task.sleep(for: .milliseconds(5)) }
        #expect(progress.isFinished)
        #expect(progress.totalUnitCount == max(size, 1))
        #expect(progress.completedUnitCount == progress.totalUnitCount)
        #expect(progress.userInfo[.fileURLKey] as? URL == file)
    }

    @Test(arguments: Network.allCases) func steersPauseAndResume(network: Network) async throws {
        let (server, url) = try origin(rate: 500_000)
        defer { server.stop() }
        let download = network.downloader.start(from: url, to: file)
        let parent = Progress(totalUnitCount: 1)
        parent.addChild(download.makeProgress(), withPendingUnitCount: 1)
        #expect(await wait(for: .downloading, of: download))
        parent.pause()
        #expect(await wait(for: .paused, of: download))
        server.limit(rate: nil, silentAfter: nil)
        parent.resume()
        #expect(try await download.receipt.bytes == Self.size)
        #expect(FileContents.difference(of: file.path, from: OriginResource("/f", size: Self.size)) == nil)
    }

    @Test(arguments: Network.allCases) func steersCancel(network: Network) async throws {
        let (server, url) = try origin(rate: 100_000)
        defer { server.stop() }
        let download = network.downloader.start(from: url, to: file)
        let progress = download.makeProgress()
        #expect(await wait(for: .downloading, of: download))
        progress.cancel()
        #expect(await wait(for: .cancelled, of: download))
        #expect(!FileContents.exists(file.path))
    }

    @Test func aCancelledDownloadCancelsItsProgress() async throws {
        let (server, url) = try origin(rate: 100_000)
        defer { server.stop() }
        let download = Downloader().start(from: url, to: file)
        let progress = download.makeProgress()
        download.cancel()
        #expect(await wait(for: .cancelled, of: download))
        for _ in 0..<2000 where !progress.isCancelled { try await Task.sleep(for: .milliseconds(5)) }
        #expect(progress.isCancelled)
    }

    @Test func aProgressKeepsItsDownloadAndNotTheOtherWayRound() throws {
        let (server, url) = try origin(rate: 100_000)
        defer { server.stop() }
        weak var dropped: Progress?
        let download = Downloader().start(from: url, to: file)
        do {
            let progress = download.makeProgress()
            dropped = progress
            #expect(dropped != nil)
            withExtendedLifetime(progress) {}
        }
        #expect(dropped == nil)
        download.cancelAndDiscard()
    }
}
