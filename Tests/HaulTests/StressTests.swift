import Glibc
import Haul
import HaulOrigin
import HaulTestSupport
import Synchronization
import Testing

/// Many downloads, and many changes of mind. `HAUL_STRESS_DOWNLOADS`, `HAUL_STRESS_PAUSES` and `HAUL_STRESS_REQUESTS`
/// make more of it.
@Suite(.temporaryDirectory, .serialized, .timeLimit(.minutes(30)))
struct StressTests {
    private static func number(_ name: String, or usual: Int) -> Int {
        getenv(name).flatMap { Int(String(cString: $0)) } ?? usual
    }

    private func reachRest(_ download: Download) async -> Bool {
        for await state in download.states {
            if state == .paused { return true }
            if state.isFinal { return false }
        }
        return false
    }

    @Test func pausedAndResumedAtRandom() async throws {
        let count = Self.number("HAUL_STRESS_DOWNLOADS", or: 40)
        let pauses = Self.number("HAUL_STRESS_PAUSES", or: 400)
        var random = SeededRandom(seed: 41)
        let resources = (0..<count).map { index in
            OriginResource(
                "/\(index).bin", size: Int64.random(in: 1...3_500_000, using: &random), seed: UInt64(index),
                behaviors: index % 4 == 0 ? [.closesEvery(bytes: 300_000)] : index % 7 == 0 ? [.noRanges] : [])
        }
        var configuration = OriginConfiguration(resources)
        configuration.totalRate = 4 << 20
        let server = try OriginServer(configuration)
        defer { server.stop() }
        var limits = DownloaderOptions()
        limits.maximumConcurrentDownloads = 24
        limits.maximumConnectionsPerHost = 32
        let downloader = Downloader(options: limits)
        var options = DownloadOptions()
        options.syncsBeforePublishing = false
        // The origin is slow, and nothing here is about giving up.
        options.stallTimeout = .seconds(300)
        let directory = TemporaryDirectory.current
        let downloads = resources.map {
            downloader.start(DownloadRequest(server.url(for: $0.path), to: directory + $0.path), options: options)
        }
        let done = Atomic(0)
        await withTaskGroup(of: Void.self) { group in
            for seed in 0..<8 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(seed))
                    while done.load(ordering: .relaxed) < pauses {
                        let open = downloads.filter { !$0.state.isFinal }
                        guard let download = open.randomElement(using: &random) else { return }
                        download.pause()
                        if Int.random(in: 0..<4, using: &random) > 0 {
                            guard await reachRest(download) else { continue }
                        }
                        done.add(1, ordering: .relaxed)
                        download.resume()
                    }
                }
            }
        }
        #expect(done.load(ordering: .relaxed) >= pauses)
        server.limit()
        for (download, resource) in zip(downloads, resources) {
            download.resume()
            let receipt = try await download.receipt
            #expect(receipt.bytes == resource.size)
            #expect(FileContents.difference(of: directory + resource.path, from: resource) == nil)
        }
        #expect(FileContents.names(in: directory).count == count)
        #expect(downloader.bufferedBytes == 0 && downloader.waiting == 0)
    }

    /// Resident memory of this process in bytes.
    private func memory() throws -> Int64 {
        let text = String(decoding: try FileContents.read("/proc/self/statm"), as: UTF8.self)
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int64($0) } ?? 0
        return pages * Int64(getpagesize())
    }

    @Test func requestsAreTakenLazily() async throws {
        let count = Self.number("HAUL_STRESS_REQUESTS", or: 20_000)
        let directory = TemporaryDirectory.current
        for number in 0..<1000 { mkdir("\(directory)/\(number)", 0o700) }
        try FileContents.write([1, 2, 3], to: directory + "/here")
        let taken = Atomic(0)
        let read = Atomic(0)
        // Every third is equal to the one before; all others are paths of their own to a file that is there.
        let requests = (0..<count).lazy.map { index in
            taken.add(1, ordering: .relaxed)
            #expect(taken.load(ordering: .relaxed) - read.load(ordering: .relaxed) <= 80)
            let number = index % 3 == 2 ? index - 1 : index
            var request = DownloadRequest(
                "http://127.0.0.1:1/\(number)",
                to: "\(directory)/\(number / 1000 % 1000)/../\(number % 1000)/../here")
            request.existing = .trust
            return request
        }
        let stream = AsyncStream { () -> DownloadRequest? in
            let index = taken.load(ordering: .relaxed)
            return index < count ? requests[index] : nil
        }
        var complete = 0
        var early: Int64 = 0
        for await outcome in Downloader().download(contentsOf: stream) {
            read.add(1, ordering: .relaxed)
            if case .success(let receipt) = outcome.result, receipt.bytes == 3 { complete += 1 }
            if read.load(ordering: .relaxed) == min(10_000, count / 2) { early = try memory() }
        }
        #expect(complete == count)
        let grown = try memory() - early
        if count > 100_000 { print("\(count) requests: \(early >> 10) KiB early, \(grown >> 10) KiB more at the end") }
        #expect(grown < Int64(count) * 64 + (16 << 20), "\(grown)")
    }
}
