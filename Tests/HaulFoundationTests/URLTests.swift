import Foundation
import Haul
import HaulFoundation
import HaulOrigin
import HaulTestSupport
import Testing

/// `URL` in place of strings.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct URLTests {
    private let folder = URL(fileURLWithPath: TemporaryDirectory.current)
    private let address = URL(string: "http://127.0.0.1:1/dir/name.bin?sig=1")

    @Test func requestsHoldPathsAndAddresses() throws {
        let address = try #require(address)
        let file = folder.appendingPathComponent("a b ä.bin")
        let request = DownloadRequest(address, to: file, expecting: try .sha256(String(repeating: "0", count: 64)))
        #expect(request.url == "http://127.0.0.1:1/dir/name.bin?sig=1")
        #expect(request.destination == .file(folder.path + "/a b ä.bin"))
        #expect(request.checksums.count == 1)
        #expect(DownloadRequest(address, into: folder).destination == .directory(folder.path))
    }

    @Test func whatIsNoFileIsRefusedAndNothingTraps() async throws {
        let web = try #require(address)
        let downloader = Downloader()
        let requests = [
            DownloadRequest(web, to: web), DownloadRequest(web, into: web), DownloadRequest(folder, to: folder),
        ]
        for request in requests {
            let error = await #expect(throws: DownloadError.self) { try await downloader.download(request) }
            #expect(error?.code == .invalidRequest)
        }
        #expect(throws: DownloadError.self) { try downloader.status(of: web) }
        #expect(throws: DownloadError.self) { try downloader.unfinished(in: web) }
        await #expect(throws: DownloadError.self) { try await downloader.verify(web, against: []) }
    }

    @Test func whatURLSessionCannotDoIsRefusedBeforeAnythingIsSent() async throws {
        var each: [DownloadOptions] = Array(repeating: DownloadOptions(), count: 6)
        each[0].trustFile = "/x.pem"
        each[1].acceptsAnyCertificate = true
        each[2].proxy = "http://proxy:1"
        each[3].resolve = ["h:80:127.0.0.1"]
        each[4].interface = "lo"
        each[5].minimumTLSVersion = .v1_3
        let downloader = Downloader.overURLSession()
        let request = DownloadRequest(try #require(address), to: folder.appendingPathComponent("f"))
        for options in each {
            let error = await #expect(throws: DownloadError.self) {
                try await downloader.download(request, options: options)
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("URLSession") == true)
        }
    }

    @Test func partialsAreFoundByURL() async throws {
        var configuration = OriginConfiguration([OriginResource("/f", size: 2_000_000)])
        configuration.totalRate = 400_000
        let server = try OriginServer(configuration)
        defer { server.stop() }
        let file = folder.appendingPathComponent("f")
        let downloader = Downloader.overURLSession()
        let download = downloader.start(from: try #require(URL(string: server.url(for: "/f"))), to: file)
        for await progress in download.progress where progress.received > 100_000 { break }
        download.cancel()
        for await _ in download.states {}
        let partial = try #require(try downloader.status(of: file))
        #expect(partial.fileURL == file)
        #expect(partial.finished > 0)
        #expect(try downloader.unfinished(in: folder) == [partial])
        server.limit(rate: nil, silentAfter: nil)
        let token = try #require(ResumeToken(partial))
        let again = try DownloadRequest(resuming: token, from: try #require(URL(string: server.url(for: "/f"))))
        let receipt = try await downloader.download(again)
        #expect(receipt.resumed == partial.finished)
        #expect(FileContents.difference(of: file.path, from: OriginResource("/f", size: 2_000_000)) == nil)
    }
}
