import Glibc
import Haul
import HaulOrigin
import HaulTestSupport
import Testing

/// A download from outside: states, observers, rest, end.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct DownloadTests {
    private let resource = OriginResource("/big.bin", size: 6 << 20, seed: 3)

    private func path(_ name: String = "big.bin") -> String { TemporaryDirectory.current + "/" + name }

    private let block = OriginResource("/block.bin", size: 200_000, seed: 4)

    /// As many connections from the first answer on: a range that is cut for one more would lose what lies in sockets.
    private var four: DownloadOptions {
        var options = DownloadOptions()
        options.connections = 4
        return options
    }

    private func haltingBlock() throws -> OriginServer {
        var configuration = OriginConfiguration([block])
        configuration.silentAfter = 100_000
        configuration.totalRate = 1 << 20
        return try OriginServer(configuration)
    }

    private func failure(of request: DownloadRequest, by downloader: Downloader) async -> DownloadError.Code? {
        do throws(DownloadError) { _ = try await downloader.download(request) } catch { return error.code }
        return nil
    }

    @Test func statesAndProgressHaveAnyNumberOfReaders() async throws {
        let server = try OriginServer(resource)
        defer { server.stop() }
        let download = Downloader().start(DownloadRequest(server.url(for: resource.path), to: path()))
        let order: [DownloadState] = [.queued, .probing, .downloading, .verifying, .finished]
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var seen: [DownloadState] = []
                    for await state in download.states { seen.append(state) }
                    #expect(seen.last == .finished)
                    let places = seen.compactMap { order.firstIndex(of: $0) }
                    #expect(places.count == seen.count && places == places.sorted(), "\(seen)")
                }
                group.addTask {
                    var last = DownloadProgress()
                    for await progress in download.progress {
                        #expect(progress.received >= last.received)
                        last = progress
                    }
                    #expect(last.phase == .finished && last.received == resource.size && last.total == resource.size)
                }
            }
        }
        // Who comes after the end sees it.
        var late: [DownloadState] = []
        for await state in download.states { late.append(state) }
        #expect(late == [.finished])
        var snapshots = 0
        for await progress in download.progress where progress.phase == .finished { snapshots += 1 }
        #expect(snapshots == 1)
        #expect(try await download.receipt.bytes == resource.size)
        #expect(FileContents.difference(of: path(), from: resource) == nil)
    }

    @Test func readersEndWhenTheirTaskIsCancelled() async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        let download = Downloader().start(DownloadRequest(server.url(for: resource.path), to: path()))
        await reach(1 << 20, download)
        let reader = Task { for await _ in download.states {} }
        reader.cancel()
        await reader.value
        #expect(!download.state.isFinal)
        download.cancel()
        await #expect(throws: DownloadError.self) { _ = try await download.receipt }
        #expect(download.state == .cancelled)
    }

    @Test func pauseKeepsEverythingAndResumeGoesOn() async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        let downloader = Downloader()
        let download = downloader.start(DownloadRequest(server.url(for: resource.path), to: path()), options: four)
        await reach(5 << 19, download)
        download.pause()
        await reach(.paused, download)
        let held = try #require(try downloader.status(of: path()))
        #expect(held.finished >= 5 << 19)
        #expect(download.snapshot.connections == 0 && download.snapshot.received <= held.finished)
        #expect(downloader.bufferedBytes == 0)
        #expect(download.result == nil)
        server.limit()
        server.forgetRequests()
        download.resume()
        let receipt = try await download.receipt
        #expect(FileContents.difference(of: path(), from: resource) == nil)
        // What the first attempt received is this download's own.
        #expect(receipt.resumed == 0 && receipt.bytes == resource.size)
        #expect(receipt.received >= resource.size && receipt.received <= resource.size + (256 << 10))
        // On a busy machine sockets fill, and a range that is cut leaves what they hold: still far from all of it again.
        let sent = server.requests.reduce(0) { $0 + $1.bodyBytes }
        #expect(sent <= resource.size - held.finished + (64 << 10) + (2 << 20), "\(sent)")
        #expect(sent < resource.size)
    }

    /// Too small for a journal, until it is needed.
    @Test func aSmallFileKeepsWhatItHasToo() async throws {
        let small = OriginResource("/small.bin", size: 1_500_000, seed: 3)
        var configuration = OriginConfiguration([small])
        configuration.silentAfter = 1 << 20
        let server = try OriginServer(configuration)
        defer { server.stop() }
        let downloader = Downloader()
        let download = downloader.start(DownloadRequest(server.url(for: small.path), to: path()))
        await reach(800_000, download)
        #expect(try downloader.status(of: path())?.journalPath == nil)
        download.cancel()
        for await _ in download.states {}
        #expect(try #require(try downloader.status(of: path())).finished >= 800_000)
        server.limit()
        let receipt = try await downloader.download(download.request)
        #expect(receipt.resumed >= 800_000)
        #expect(FileContents.difference(of: path(), from: small) == nil)
    }

    /// What fits into one block comes in before its place is looked at.
    @Test func oneBlockRestsAndGoesOnToo() async throws {
        let server = try haltingBlock()
        let downloader = Downloader()
        let download = downloader.start(DownloadRequest(server.url(for: block.path), to: path()))
        await reach(90_000, download)
        download.pause()
        await reach(.paused, download)
        let held = try #require(try downloader.status(of: path()))
        #expect(held.finished >= 90_000)
        server.limit()
        server.forgetRequests()
        download.resume()
        #expect(try await download.receipt.received >= block.size)
        #expect(FileContents.difference(of: path(), from: block) == nil)
        let sent = server.requests.reduce(0) { $0 + $1.bodyBytes }
        #expect(sent <= block.size - held.finished + (64 << 10))
        #expect(FileContents.names(in: TemporaryDirectory.current) == ["big.bin"])
    }

    /// At any moment, with a place or not.
    @Test(arguments: [false, true]) func oneBlockEndsToo(discards: Bool) async throws {
        let server = try haltingBlock()
        let downloader = Downloader()
        for bytes in [0, 1, 20_000, 90_000] as [Int64] {
            server.limit(rate: 1 << 20, silentAfter: 100_000)
            let download = downloader.start(DownloadRequest(server.url(for: block.path), to: path("\(bytes)")))
            if bytes > 0 { await reach(bytes, download) }
            if discards { download.cancelAndDiscard() } else { download.cancel() }
            for await _ in download.states {}
            #expect(download.state == .cancelled)
            let held = try downloader.status(of: path("\(bytes)"))?.finished ?? 0
            #expect(discards ? FileContents.names(in: TemporaryDirectory.current).isEmpty : held >= bytes, "\(held)")
            server.limit()
            #expect(try await downloader.download(download.request).resumed == held)
            #expect(FileContents.difference(of: path("\(bytes)"), from: block) == nil && unlink(path("\(bytes)")) == 0)
        }
        #expect(FileContents.names(in: TemporaryDirectory.current).isEmpty)
    }

    @Test func progressDoesNotRunBackwardsOverARest() async throws {
        var configuration = OriginConfiguration([resource])
        configuration.totalRate = 3 << 20
        let server = try OriginServer(configuration)
        defer { server.stop() }
        let download = Downloader().start(DownloadRequest(server.url(for: resource.path), to: path()))
        let reader = Task {
            var last: Int64 = 0
            for await progress in download.progress {
                #expect(progress.received >= last)
                #expect(progress.resumed == 0)
                last = progress.received
            }
            return last
        }
        await reach(1 << 20, download)
        for _ in 0..<5 {
            download.pause()
            await reach(.paused, download)
            download.resume()
            await reach(.downloading, download)
        }
        server.limit()
        _ = try await download.receipt
        #expect(await reader.value == resource.size)
    }

    @Test func aQueuedDownloadRestsAndItsPlaceIsFree() async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        var limits = DownloaderOptions()
        limits.maximumConcurrentDownloads = 1
        let downloader = Downloader(options: limits)
        let url = server.url(for: resource.path)
        let first = downloader.start(DownloadRequest(url, to: path("1")))
        await reach(1 << 20, first)
        let second = downloader.start(DownloadRequest(url, to: path("2")))
        #expect(second.state == .queued)
        second.pause()
        await reach(.paused, second)
        server.limit()
        _ = try await first.receipt
        #expect(second.state == .paused)
        second.resume()
        _ = try await second.receipt
        #expect(FileContents.difference(of: path("2"), from: resource) == nil)
    }

    @Test func priorityDecidesInTheQueue() async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        var limits = DownloaderOptions()
        limits.maximumConcurrentDownloads = 1
        let downloader = Downloader(options: limits)
        let url = server.url(for: resource.path)
        let running = downloader.start(DownloadRequest(url, to: path("running")))
        await reach(1 << 20, running)
        var low = DownloadRequest(url + "?low", to: path("low"))
        low.priority = .low
        let last = downloader.start(low)
        let middle = downloader.start(DownloadRequest(url + "?normal", to: path("normal")))
        let first = downloader.start(DownloadRequest(url + "?raised", to: path("raised")))
        // Queued is where they are only once they wait.
        while downloader.waiting < 3 { await Task.yield() }
        first.priority = .high
        server.limit()
        for download in [first, middle, last] { _ = try await download.receipt }
        // Not the order of ends: who only waits for the disk lets the next begin.
        var turns: [Substring] = []
        for request in server.requests.map(\.request) {
            guard let turn = request.target.split(separator: "?").dropFirst().first else { continue }
            if turns.last != turn { turns.append(turn) }
        }
        #expect(turns == ["raised", "normal", "low"])
    }

    @Test func cancelAndDiscardLeavesNothing() async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        let downloader = Downloader()
        let url = server.url(for: resource.path)
        let running = downloader.start(DownloadRequest(url, to: path("1")))
        await reach(1 << 20, running)
        running.cancelAndDiscard()
        await #expect(throws: DownloadError.self) { _ = try await running.receipt }
        #expect(running.state == .cancelled)
        #expect(FileContents.names(in: TemporaryDirectory.current).isEmpty)

        let resting = downloader.start(DownloadRequest(url, to: .directory(TemporaryDirectory.current)), options: four)
        server.limit(silentAfter: 3 << 20)
        await reach(2 << 20, resting)
        resting.pause()
        await reach(.paused, resting)
        #expect(try downloader.unfinished(in: TemporaryDirectory.current).map(\.path) == [path()])
        resting.cancelAndDiscard()
        await reach(.cancelled, resting)
        var events: [DownloadEvent] = []
        for await event in resting.events { events.append(event) }
        #expect(FileContents.names(in: TemporaryDirectory.current).isEmpty, "\(events)")
    }

    @Test func equalRequestsAreOneTransfer() async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        let downloader = Downloader()
        let request = DownloadRequest(server.url(for: resource.path), to: path())
        let download = downloader.start(request)
        let impatient = Task { await failure(of: request, by: downloader) }
        let patient = Task { try await downloader.download(request) }
        #expect(downloader.start(request) === download)
        await reach(1 << 20, download)
        // One who leaves takes nothing from the others.
        impatient.cancel()
        #expect(await impatient.value == .cancelled)
        #expect(!download.state.isFinal)
        server.limit()
        #expect(try await patient.value == download.receipt)
        #expect(
            server.requests.filter { $0.bodyBytes > 0 }.reduce(0) { $0 + $1.bodyBytes } <= resource.size + (3 << 20))
        // Another digest is another request.
        var other = request
        other.checksums = [try .sha256(String(repeating: "0", count: 64))]
        #expect(downloader.start(other) !== download)
    }

    @Test func theLastWhoLeavesCancels() async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        let downloader = Downloader()
        let request = DownloadRequest(server.url(for: resource.path), to: path())
        let waiters = (0..<3).map { _ in
            Task { await failure(of: request, by: downloader) }
        }
        while server.requests.isEmpty { await Task.yield() }
        for waiter in waiters { waiter.cancel() }
        for waiter in waiters { #expect(await waiter.value == .cancelled) }
        // A new one goes on, and is not the one that ended.
        server.limit()
        #expect(try await downloader.download(request).bytes == resource.size)
    }

    @Test func shutDownJournalsEverythingAndStartsNothing() async throws {
        let server = try OriginServer.halting(resource)
        defer { server.stop() }
        let downloader = Downloader()
        let url = server.url(for: resource.path)
        // Alone at first: how the origin deals out its bytes to several is its own affair.
        var downloads = [downloader.start(DownloadRequest(url, to: path("1")))]
        await reach(1 << 19, downloads[0])
        downloads += (2...3).map { downloader.start(DownloadRequest(url, to: path("\($0)"))) }
        downloads[1].pause()
        await downloader.shutDown()
        #expect(downloads.allSatisfy { $0.state == .cancelled })
        let held = try #require(try downloader.status(of: path("1")))
        #expect(held.finished >= 1 << 19)
        let late = downloader.start(DownloadRequest(url, to: path("late")))
        await #expect(throws: DownloadError.self) { _ = try await late.receipt }
        #expect(late.state == .cancelled)
    }

    @Test func twoThatWantOneFileAreAnError() async throws {
        let other = OriginResource("/other.bin", size: 5 << 20, seed: 8)
        let server = try OriginServer(OriginConfiguration([resource, other]))
        defer { server.stop() }
        let downloader = Downloader()
        let downloads = [resource, other].map {
            downloader.start(DownloadRequest(server.url(for: $0.path), to: path()))
        }
        var kept: [OriginResource] = []
        for (download, resource) in zip(downloads, [resource, other]) {
            do {
                _ = try await download.receipt
                kept.append(resource)
            } catch {
                #expect([.partialInUse, .outputExists].contains(error.code), "\(error)")
            }
        }
        let winner = try #require(kept.first)
        #expect(kept.count == 1 && FileContents.difference(of: path(), from: winner) == nil)
    }

    @Test func aFolderThatCannotBeWrittenIsAnError() async throws {
        let server = try OriginServer(resource)
        defer { server.stop() }
        let places: [DownloadRequest.Destination] = [
            .file(path("missing/f")), .directory(path("missing")), .file("/proc/self/f"), .directory("/proc/self"),
        ]
        for place in places {
            do {
                _ = try await Downloader().download(DownloadRequest(server.url(for: resource.path), to: place))
                Issue.record("\(place)")
            } catch {
                #expect(error.code == .fileSystem, "\(place): \(error)")
                #expect(!error.message.isEmpty)
            }
        }
    }

    @Test func badRequestsAreErrors() async throws {
        let downloader = Downloader()
        var negative = DownloadRequest("http://h/x", to: path())
        negative.expectedSize = -1
        let requests = [
            negative, DownloadRequest("", to: path()), DownloadRequest("http://", to: path()),
            DownloadRequest("file:///etc/passwd", to: path()), DownloadRequest("http://h/x", to: ""),
            DownloadRequest("http://h/x", to: .directory("")).with { $0.range = .bytes(5..<5) },
            DownloadRequest("http://h/x", to: path()).with { $0.headers = ["no colon"] },
            DownloadRequest("http://h/x", to: path()).with { $0.connections = 0 },
        ]
        for request in requests {
            let download = downloader.start(request)
            do {
                _ = try await download.receipt
                Issue.record("\(request.url) was accepted")
            } catch {
                #expect(error.code == .invalidRequest, "\(error)")
                #expect(!error.message.isEmpty && !error.message.contains("\n"))
            }
            #expect(download.state == .failed)
        }
    }
}

extension DownloadRequest {
    /// A copy with something else in it.
    func with(_ change: (inout DownloadRequest) -> Void) -> DownloadRequest {
        var copy = self
        change(&copy)
        return copy
    }
}
