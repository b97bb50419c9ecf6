import HaulCore
import HaulCurl
import HaulSystem
import Synchronization

/// Fetches files over several connections each.
///
/// Safe to share; one is enough for a program. Dropping the last reference ends its threads when the last download is
/// done.
public final class Downloader: Sendable {
    /// What downloads have in common, made with the first of them.
    struct Shared {
        let network: CurlTransport
        let threads = DiskThreads()
        let time = TimeSource.continuous()
        let ticker: Ticker

        init(network: CurlTransport) {
            self.network = network
            ticker = Ticker(time)
        }
    }

    private struct State {
        var shared: Shared?
        var maximumRate: Int64?
    }

    private let state = Mutex(State())
    let slots = Counter()
    /// What its downloads share.
    let limits: DownloaderOptions
    /// The connections that they share.
    let budget: ConnectionBudget

    /// Makes a downloader; threads start with the first download.
    ///
    /// - Parameter options: what its downloads share; numbers below 1 count as 1.
    public init(options: DownloaderOptions = DownloaderOptions()) {
        var limits = options
        limits.maximumConnections = max(1, options.maximumConnections)
        limits.maximumConnectionsPerHost = max(1, options.maximumConnectionsPerHost)
        limits.maximumConcurrentDownloads = max(1, options.maximumConcurrentDownloads)
        self.limits = limits
        budget = ConnectionBudget(limits)
    }

    /// Most bytes a second that all its downloads together take from the network; nil, the default, is no limit.
    ///
    /// Holds over all connections, within a few per cent; a change reaches downloads under way.
    public var maximumRate: Int64? {
        get { state.withLock { $0.maximumRate } }
        set {
            state.withLock { state in
                state.maximumRate = newValue
                state.shared?.network.maximumRate = newValue
            }
        }
    }

    /// Fetches one file.
    ///
    /// Cancelling the calling task cancels the download and keeps what was received.
    ///
    /// - Parameters:
    ///   - request: what to fetch and where to put it.
    ///   - options: how.
    /// - Returns: what it came to.
    /// - Throws: why it did not end in a finished file.
    public func download(
        _ request: DownloadRequest, options: DownloadOptions = DownloadOptions()
    ) async throws(DownloadError) -> DownloadReceipt {
        try await start(request, options: options).resultOrCancel().get()
    }

    /// Starts fetching one file.
    ///
    /// - Parameters:
    ///   - request: what to fetch and where to put it.
    ///   - options: how.
    /// - Returns: the download under way; a malformed request fails through its `receipt`.
    public func start(_ request: DownloadRequest, options: DownloadOptions = DownloadOptions()) -> Download {
        start(request, options: options, name: nil, lease: nil)
    }

    /// Starts fetching one file, as part of a batch perhaps.
    ///
    /// - Parameters:
    ///   - request: what to fetch and where to put it.
    ///   - options: how.
    ///   - name: its name in the batch.
    ///   - lease: its share of the connections; nil waits for one.
    ///   - url: its address, if it was parsed already.
    /// - Returns: the download under way.
    func start(
        _ request: DownloadRequest, options: DownloadOptions, name: BatchName?, lease: ConnectionLease?,
        at url: ResourceURL? = nil
    ) -> Download {
        let progress = AsyncStream.makeStream(of: DownloadProgress.self, bufferingPolicy: .bufferingNewest(1))
        let events = AsyncStream.makeStream(of: DownloadEvent.self, bufferingPolicy: .bufferingNewest(64))
        let sink = ProgressSink(progress: progress.continuation, events: events.continuation)
        let task = Task(executorPreference: executor) { () -> Result<DownloadReceipt, DownloadError> in
            do throws(DownloadError) {
                // Before anything is fetched for it.
                if request.checksumFile != nil { try self.validate(request, options: options) }
                let clock = ContinuousClock()
                let start = clock.now
                let request = try await self.findingChecksums(request, options)
                var options = options
                // What the look-up took is part of the whole.
                options.maximumTime = options.maximumTime.map { max($0 - (clock.now - start), .milliseconds(1)) }
                var engine = try self.engine(for: request, options, sink, at: url)
                engine.lease = lease
                if lease == nil { engine.lease = await self.budget.lease(for: engine.url.host) }
                guard engine.lease != nil else { throw .cancelledKeeping }
                engine.name = name
                engine.syncs = engine.threads.syncs
                return await engine.run()
            } catch {
                sink.finish()
                return .failure(error)
            }
        }
        return Download(progress: progress.stream, events: events.stream, task: task)
    }

    /// Checks a request without touching network or disk.
    ///
    /// - Parameters:
    ///   - request: what would be fetched.
    ///   - options: how.
    /// - Throws: `DownloadError` with code `invalidRequest` that names what is wrong.
    public func validate(
        _ request: DownloadRequest, options: DownloadOptions = DownloadOptions()
    ) throws(DownloadError) {
        _ = try parts(of: request, options, at: nil)
    }

    /// What a request is made of.
    private typealias Parts = (url: ResourceURL, mirrors: [ResourceURL], scope: CredentialScope)

    /// Checks a request and takes it apart.
    private func parts(
        of request: DownloadRequest, _ options: DownloadOptions, at url: ResourceURL?
    ) throws(DownloadError) -> Parts {
        let url = if let url { url } else { try address(request.url) }
        let parts = (url, try mirrors(of: request), try scope(of: request, options, for: url))
        try options.validate()
        if let connections = request.connections { try DownloadOptions.validate(connections: connections) }
        switch request.destination {
        case .file(let path) where path.isEmpty || path.hasSuffix("/"):
            throw DownloadError(.invalidRequest, "'\(path)' is no file name: give one, or a directory with -d")
        case .file(let path) where path.utf8.contains(0):
            throw DownloadError(.invalidRequest, "a file name holds no zero byte")
        case .descriptor(let number) where number < 0:
            throw DownloadError(.invalidRequest, "\(number) is no descriptor")
        case .descriptor where !request.mirrors.isEmpty || request.prefix != nil:
            throw DownloadError(.invalidRequest, "mirrors and partials of other tools need a file as destination")
        case .file, .directory, .descriptor: break
        }
        try validate(request.range, checksumFile: request.checksumFile)
        return parts
    }

    private func validate(
        _ range: DownloadRequest.RequestedRange?, checksumFile: String?
    ) throws(DownloadError) {
        let isPossible =
            switch range {
            case nil: true
            case .bytes(let range): range.lowerBound >= 0 && !range.isEmpty
            case .from(let first): first >= 0
            case .last(let count): count > 0
            }
        guard isPossible else { throw DownloadError(.invalidRequest, "the range holds no byte: give FIRST-LAST") }
        if range != nil, checksumFile != nil {
            throw DownloadError(.invalidRequest, "a list of checksums is of whole files, and a range was asked for")
        }
    }

    // MARK: - Parts of a download

    func engine(
        for request: DownloadRequest, _ options: DownloadOptions, _ sink: ProgressSink, at url: ResourceURL? = nil
    ) throws(DownloadError) -> DownloadEngine<CurlTransport> {
        let (url, mirrors, scope) = try parts(of: request, options, at: url)
        let shared = try makeShared()
        let split = DownloadEngine<CurlTransport>.splitPolicy(for: request, options)
        let netrcHasDefault = try options.netrcHasDefault()
        var engine = DownloadEngine(
            request: request, options: options, url: url, mirrors: mirrors, scope: scope,
            network: shared.network, time: shared.time,
            splitPolicy: split,
            wallClock: WallClock.secondsSince1970,
            threads: shared.threads, sink: sink,
            firstSlot: Int(slots.next(split.connections + request.mirrors.count + 1)),
            seed: UInt64.random(in: 0 ... .max))
        engine.netrcHasDefault = netrcHasDefault
        engine.ticker = shared.ticker
        return engine
    }

    /// Where downloads are driven; nil, anywhere, if there can be none.
    var executor: (any TaskExecutor)? { try? makeShared().threads.run }

    func makeShared() throws(DownloadError) -> Shared {
        let result: Result<Shared, TransportError> = state.withLock { state in
            if let shared = state.shared { return .success(shared) }
            do throws(TransportError) {
                let made = Shared(network: try CurlTransport())
                made.network.maximumRate = state.maximumRate
                state.shared = made
                return .success(made)
            } catch {
                return .failure(error)
            }
        }
        do { return try result.get() } catch { throw DownloadError(.other, error.summary) }
    }

    func address(_ text: String) throws(DownloadError) -> ResourceURL {
        do throws(InvalidURL) {
            return try CurlURLParser.parse(text, relativeTo: nil)
        } catch {
            throw DownloadError(.invalidRequest, "'\(text)' can't be fetched: \(error.reason)")
        }
    }

    private func mirrors(of request: DownloadRequest) throws(DownloadError) -> [ResourceURL] {
        var mirrors: [ResourceURL] = []
        for mirror in request.mirrors { mirrors.append(try address(mirror)) }
        return mirrors
    }

    private func scope(
        of request: DownloadRequest, _ options: DownloadOptions, for url: ResourceURL
    ) throws(DownloadError) -> CredentialScope {
        let lines =
            [request.referer.map { "Referer: " + $0 }, request.cookies.map { "Cookie: " + $0 }].compactMap(\.self)
        let given = request.credentials.map { BasicCredentials(name: $0.name, password: $0.password) }
        do throws(InvalidHeaderLine) {
            return try CredentialScope(
                headerLines: request.headers + lines, credentials: given ?? url.userInfo, origin: url.origin,
                sendsEverywhere: options.trustsRedirects)
        } catch {
            throw DownloadError(.invalidRequest, error.reason)
        }
    }
}
