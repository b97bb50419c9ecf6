import Glibc
import Haul
import HaulOrigin
import HaulTestSupport
import Synchronization
import Testing

/// Many downloads, and many changes of mind.
///
/// `HAUL_STRESS_DOWNLOADS`, `HAUL_STRESS_PAUSES` and `HAUL_STRESS_REQUESTS`
/// make more of it.
@Suite(.temporaryDirectory, .serialized, .timeLimit(.minutes(30)))
struct StressTests {
    private final class Count: Sendable {
        private let number = Atomic(0)

        var value: Int { number.load(ordering: .relaxed) }

        func add() { number.add(1, ordering: .relaxed) }
    }

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
        var resources: [OriginResource] = []
        for index in 0..<count {
            var resource = OriginResource(
                "/\(index).bin", size: Int64.random(in: 1...3_500_000, using: &random), seed: UInt64(index))
            if index % 4 == 0 { resource.behaviors = [.closesEvery(bytes: 300_000)] }
            if index % 7 == 3 { resource.behaviors = [.noRanges] }
            resources.append(resource)
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
        let done = Count()
        await withTaskGroup(of: Void.self) { group in
            for seed in 0..<8 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(seed))
                    while done.value < pauses {
                        let open = downloads.filter { !$0.state.isFinal }
                        guard let download = open.randomElement(using: &random) else { return }
                        download.pause()
                        if Int.random(in: 0..<4, using: &random) > 0 {
                            guard await reachRest(download) else { continue }
                        }
                        done.add()
                        download.resume()
                    }
                }
            }
        }
        #expect(done.value >= pauses)
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

    /// Every third is equal to the one before; all others have paths of their own to a file that is there.
    private static func request(_ index: Int, in directory: String) -> DownloadRequest {
        let number = index % 3 == 2 ? index - 1 : index
        let path = "\(directory)/\(number / 1000 % 1000)/\(number % 1000)"
        link(directory + "/here", path)
        var request = DownloadRequest("http://127.0.0.1:1/\(number)", to: path)
        request.existing = .trust
        return request
    }

    /// Nor has a sequence to be one that can be sent; each iteration is a batch of its own.
    @Test func lazySequencesAreMadeWhereTheyAreRead() async {
        let made = Count()
        let outcomes = Downloader().download(contentsOf: {
            made.add()
            return (0..<200).lazy.map { DownloadRequest("no address \($0)", to: "x") }
        })
        for batch in 1...2 {
            var seen: Set<Int> = []
            for await outcome in outcomes { seen.insert(outcome.index) }
            #expect(seen.count == 200 && made.value == batch)
        }
    }

    @Test func requestsAreTakenLazily() async throws {
        let count = Self.number("HAUL_STRESS_REQUESTS", or: 20_000)
        let directory = TemporaryDirectory.current
        for number in 0..<1000 { mkdir("\(directory)/\(number)", 0o700) }
        try FileContents.write([1, 2, 3], to: directory + "/here")
        let taken = Count()
        let read = Count()
        let stream = AsyncStream { () -> DownloadRequest? in
            let index = taken.value
            guard index < count else { return nil }
            taken.add()
            #expect(index - read.value <= 256 + 16)
            return Self.request(index, in: directory)
        }
        var complete = 0
        var early: Int64 = 0
        for await outcome in Downloader().download(contentsOf: stream) {
            read.add()
            if case .success(let receipt) = outcome.result {
                complete += receipt.bytes == 3 ? 1 : 0
                // The equal one behind it may look for the file.
                if outcome.index % 3 != 1 { unlink(receipt.path) }
            }
            if read.value == min(10_000, count / 2) { early = try memory() }
        }
        #expect(complete == count)
        let grown = try memory() - early
        // The memory is that of all tests together, unless so many are asked for of this one alone.
        guard count > 100_000 else { return }
        print("\(count) requests: \(early >> 10) KiB early, \(grown >> 10) KiB more at the end")
        #expect(grown < Int64(count) * 64 + (16 << 20), "\(grown)")
    }
}
