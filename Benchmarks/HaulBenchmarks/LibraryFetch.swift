import Haul

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The library as a contender: fetches what it is told to, and ends.
enum LibraryFetch {
    /// Runs until the fetch is over; SIGINT ends it with what was received kept.
    static func run(_ words: Words) -> Never {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        let task = Task.detached {
            let failure = words["list"] == nil ? await fetchOne(words) : await fetchMany(words)
            if let failure { Platform.note("haul library: \(failure)") }
            _exit(failure == nil ? 0 : 1)
        }
        while true {
            var number: Int32 = 0
            sigwait(&signals, &number)
            task.cancel()
        }
    }

    private static func fetchOne(_ words: Words) async -> String? {
        let handicap = words["handicap"].flatMap(Handicap.init(rawValue:))
        let request = DownloadRequest(words["url"] ?? "", to: words["output"] ?? "")
        let keepsProgress = words["progress"] != nil
        do throws(DownloadError) {
            let receipt = try await fetch(request, words, tells: keepsProgress)
            if handicap == .twice {
                var again = request
                again.existing = .replace
                _ = try await fetch(again, words, tells: false)
            }
            if let handicap { suffer(handicap, bytes: receipt.bytes) }
            if keepsProgress { Platform.print("done \(receipt.bytes) \(receipt.received) \(receipt.connections)") }
            return nil
        } catch {
            return error.message
        }
    }

    private static func fetch(
        _ request: DownloadRequest, _ words: Words, tells: Bool
    ) async throws(DownloadError) -> DownloadReceipt {
        var request = request
        if let digest = words["digest"] { request.checksums = [try .sha256(digest)] }
        let download = Downloader().start(request, options: options(words))
        if tells {
            Task { for await step in download.progress { Platform.print("at \(Platform.now) \(step.received)") } }
        }
        let result: Result<DownloadReceipt, DownloadError> = await withTaskCancellationHandler {
            do throws(DownloadError) { return .success(try await download.receipt) } catch { return .failure(error) }
        } onCancel: {
            download.cancel()
        }
        return try result.get()
    }

    /// Fetches a list of addresses, `connections` at once, each over one connection.
    private static func fetchMany(_ words: Words) async -> String? {
        let urls = FileSystem.text(words["list"] ?? "").split(separator: "\n").map { String($0) }
        let directory = words["directory"] ?? "."
        var options = options(words)
        let width = options.connections ?? DownloadOptions.automaticLimit
        options.connections = 1
        var limits = DownloaderOptions()
        limits.maximumConcurrentDownloads = width
        limits.maximumConnectionsPerHost = width
        let requests = urls.map { DownloadRequest($0, to: "\(directory)/\($0.split(separator: "/").last ?? "file")") }
        var failure: String?
        for await outcome in Downloader(options: limits).download(contentsOf: requests, options: options) {
            if case .failure(let error) = outcome.result { failure = failure ?? error.message }
        }
        return failure
    }

    private static func options(_ words: Words) -> DownloadOptions {
        var options = DownloadOptions()
        if let count = words.number("connections") { options.connections = Int(count) }
        options.syncsBeforePublishing = words["sync"] != "no"
        options.trustFile = words["trust"]
        return options
    }

    private static func suffer(_ handicap: Handicap, bytes: Int64) {
        switch handicap {
        case .throttle, .twice: break
        case .burn:
            let end = Platform.now + 2 * Double(bytes) / Double(1 << 30)
            while Platform.now < end {}
        case .hoard:
            Platform.touchMemory(200 << 20)
            // Long enough for the mark to be read.
            Platform.sleep(milliseconds: 30)
        case .linger: Platform.sleep(milliseconds: 500)
        }
    }
}
