package import HaulCore
import HaulSystem
import Synchronization

/// Fetches files over several connections each.
///
/// Safe to share; one is enough for a program. Dropping the last reference ends its threads when the last download is
/// done.
public final class Downloader: Sendable {
    /// What downloads have in common, made with the first of them.
    final class Shared: Sendable {
        let network: AnyTransport
        let time = TimeSource.continuous()
        let ticker: Ticker
        /// Made once, since each is asked for by many downloads.
        let threads: [DiskThreads]

        init(network: AnyTransport) {
            self.network = network
            ticker = Ticker(time)
            threads = DiskThreads.make()
        }
    }

    private struct State {
        var shared: Shared?
        var maximumRate: Int64?
        /// Whether somebody was told that the netrc file at home is broken.
        var hasToldNetrc = false
    }

    private let state = Mutex(State())
    /// The network that it will use.
    let choice: NetworkChoice
    let slots = Counter()
    private let turns = Counter()
    private let seeds = SeedSource()
    /// What its downloads share.
    let limits: DownloaderOptions
    /// The connections that they share.
    let budget: ConnectionBudget
    /// Those that have not ended.
    let active = ActiveDownloads()

    #if canImport(HaulCurl)
        /// Makes a downloader; threads start with the first download.
        ///
        /// Not on platforms without libcurl: there `HaulFoundation` makes downloaders.
        ///
        /// - Parameter options: what its downloads share; numbers below 1 count as 1.
        public convenience init(options: DownloaderOptions = DownloaderOptions()) {
            self.init(options: options, network: .curl)
        }
    #endif

    /// Makes a downloader over a network of the caller's choice.
    ///
    /// - Parameters:
    ///   - options: what its downloads share; numbers below 1 count as 1.
    ///   - network: what carries its requests.
    package init(options: DownloaderOptions, network: NetworkChoice) {
        choice = network
        var limits = options
        let buffered = options.maximumBufferedBytes / DownloaderOptions.bufferedBytesPerConnection
        limits.maximumConnections = max(1, min(options.maximumConnections, Int(clamping: buffered)))
        limits.maximumConnectionsPerHost = max(1, options.maximumConnectionsPerHost)
        limits.maximumConcurrentDownloads = max(1, options.maximumConcurrentDownloads)
        self.limits = limits
        budget = ConnectionBudget(limits, mostAside: Self.mostAside(within: OpenFileLimit.current, limits))
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

    /// Bytes that the buffers of all connections may hold now, and those of small files that wait to be written.
    public var bufferedBytes: Int64 { budget.buffered }

    /// Downloads that wait for their turn or for a connection now.
    public var waiting: Int { budget.waiting }

    /// Fetches one file.
    ///
    /// Cancelling the calling task cancels the download and keeps what was received. Requests that are equal while one of
    /// them is under way are one transfer, which is cancelled when nobody wants it any more. One that is paused goes on:
    /// whoever waits for a file wants it now, and `start(_:options:)` is for those who want to decide that themselves. A
    /// pause after that holds up everybody who waits.
    ///
    /// - Parameters:
    ///   - request: what to fetch and where to put it.
    ///   - options: how.
    /// - Returns: what it came to.
    /// - Throws: why it did not end in a finished file.
    public func download(
        _ request: DownloadRequest, options: DownloadOptions = DownloadOptions()
    ) async throws(DownloadError) -> DownloadReceipt {
        let download = start(request, options: options)
        // One that rests would keep the caller waiting for somebody who may not come.
        download.resume()
        return try await download.resultOrLeave().get()
    }

    /// Starts fetching one file.
    ///
    /// - Parameters:
    ///   - request: what to fetch and where to put it.
    ///   - options: how.
    /// - Returns: the download under way; an equal request under way is the same one, with the options that it was started
    ///   with. If that one is paused it stays so: `state` tells, and `resume()` goes on. If it was told to cancel, another
    ///   one is returned, which begins when everything is journaled. A malformed request fails through its `receipt`.
    public func start(_ request: DownloadRequest, options: DownloadOptions = DownloadOptions()) -> Download {
        let key = request.fingerprint
        let (download, isNew) = active.find(key) { before in
            make(request, options, name: nil, lease: nil, key: key, after: before)
        }
        if isNew { download.start() }
        return download
    }

    /// Starts fetching one file of a batch.
    ///
    /// - Parameters:
    ///   - request: what to fetch and where to put it.
    ///   - prepared: how.
    ///   - name: its name in the batch.
    ///   - lease: its share of the connections.
    ///   - url: its address, if it was parsed already.
    ///   - threads: where the caller runs already, and the download will.
    /// - Returns: the download under way.
    func start(
        _ request: DownloadRequest, options prepared: PreparedOptions, name: BatchName, lease: ConnectionLease,
        at url: ResourceURL?, on threads: DiskThreads?
    ) -> Download {
        let download = make(
            request, prepared.options, name: name, lease: lease, key: nil, at: url, on: threads, prepared: prepared)
        active.add(download)
        download.start()
        return download
    }

    /// Ends all downloads, keeps what they have received, and starts no other.
    ///
    /// Returns when everything is journaled and no thread writes any more, within a second or so.
    public func shutDown() async {
        let (downloads, tasks) = active.close()
        for download in downloads { download.cancel() }
        for task in tasks { task.cancel() }
        for download in downloads { _ = await download.resultOrLeave() }
        for task in tasks { _ = await task.value }
    }

    private func make(
        _ request: DownloadRequest, _ options: DownloadOptions, name: BatchName?, lease: ConnectionLease?,
        key: Fingerprint?, at url: ResourceURL? = nil, on threads: DiskThreads? = nil,
        prepared: PreparedOptions? = nil, after before: Download? = nil
    ) -> Download {
        var changed = options
        changed.temporaryDirectory = options.temporaryDirectory ?? request.resumption?.temporaryDirectory
        let options = changed
        let work = Download.Work {
            threads ?? self.nextThreads
        } attempt: { download, threads in
            // An equal one that is being ended still holds the files.
            await before?.end()
            return await self.attempt(
                download, request, options, lease: download.takeLease(), name: name, at: url, on: threads, prepared)
        } ended: { download in
            self.active.remove(download, key: key)
        } reordered: { ticket in
            self.budget.reorder(ticket)
        }
        let choice = choice
        return Download(
            request, options, lease: lease, suggestedPath: { Self.suggestedPath(of: $0, choice) }, work: work)
    }

    /// Where a file goes by its address, if its request names a directory only.
    private static func suggestedPath(of request: DownloadRequest, _ choice: NetworkChoice) -> String? {
        guard case .directory(let directory) = request.destination else { return nil }
        return DownloadPaths.candidate(in: directory, for: try? choice.parse(request.url, nil))
    }

    /// Runs a download from the queue to its end, or until the task is cancelled.
    ///
    /// - Parameters:
    ///   - download: whom to tell; nil if nobody follows it.
    ///   - request: what to fetch and where to put it.
    ///   - options: how.
    ///   - lease: its share of the connections; nil if it has to wait for one.
    ///   - name: its name in a batch.
    ///   - url: its address, if it was parsed already.
    ///   - threads: where it is driven.
    ///   - prepared: what follows from the options, if that was looked into already.
    /// - Returns: what it came to.
    @concurrent func attempt(
        _ download: Download?, _ request: DownloadRequest, _ options: DownloadOptions, lease: ConnectionLease?,
        name: BatchName?, at url: ResourceURL?, on threads: DiskThreads?, _ prepared: PreparedOptions?
    ) async -> Result<DownloadReceipt, DownloadError> {
        let sink = download?.sink ?? ProgressSink()
        var options = options
        do throws(DownloadError) {
            if active.isClosed { throw .shutDown }
            var found = request
            var spent = Duration.zero
            if request.checksumFile != nil {
                // Before anything is fetched for it.
                try validate(request, options: options)
                let clock = ContinuousClock()
                let start = clock.now
                found = try await findingChecksums(request, options)
                spent = clock.now - start
            }
            // What the look-up and earlier attempts took is part of the whole.
            if let limit = options.maximumTime {
                options.maximumTime = max(limit - (download?.timeSpent ?? .zero) - spent, .milliseconds(1))
            }
            let prepared = prepared ?? PreparedOptions(options, over: choice)
            var engine = try engine(for: found, options, sink, at: url, on: threads, prepared)
            if let problem = try prepared.netrc.get()?.problem, isFirstToTellNetrc {
                sink.events.yield(.notice(problem))
            }
            engine.lease = lease
            engine.ticket = download?.ticket
            if engine.lease == nil {
                engine.lease = await budget.lease(for: engine.url.host, ticket: engine.leaseTicket)
            }
            guard engine.lease != nil else { throw .cancelledKeeping }
            download?.reached(.probing)
            engine.name = name
            engine.syncs = engine.threads.syncs
            if let download { engine.noteFigures = { download.noteAttempt($0) } }
            return await engine.run()
        } catch {
            return .failure(error)
        }
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
        _ = try parts(of: request, options, at: nil) { () throws(DownloadError) in try options.check(over: choice) }
    }

    /// What a request is made of.
    private typealias Parts = (url: ResourceURL, mirrors: [ResourceURL], scope: CredentialScope)

    /// Checks a request and takes it apart.
    private func parts(
        of request: DownloadRequest, _ options: DownloadOptions, at url: ResourceURL?,
        checkOptions: () throws(DownloadError) -> Void
    ) throws(DownloadError) -> Parts {
        let url = if let url { url } else { try address(request.url) }
        let parts = (url, try mirrors(of: request), try request.scope(options, for: url, parse: address))
        try checkOptions()
        if let connections = request.connections { try DownloadOptions.validate(connections: connections) }
        if let size = request.expectedSize, size < 0 {
            throw DownloadError(.invalidRequest, "an expected size of \(size) bytes: give 0 or more, or none")
        }
        for (index, first) in request.checksums.enumerated() {
            let others = request.checksums[..<index].filter { $0.algorithm == first.algorithm && $0 != first }
            guard let other = others.first else { continue }
            throw DownloadError(
                .invalidRequest,
                "two \(first.algorithm) values were given for one file, \(other.hex) and \(first.hex): "
                    + "leave out the wrong one")
        }
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
        if request.range != nil, request.pieces != nil {
            throw DownloadError(.invalidRequest, "checksums of pieces are of whole files, and a range was asked for")
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

    /// Whether this is the first download that may say that the netrc file at home is broken: once is enough.
    private var isFirstToTellNetrc: Bool {
        state.withLock { state in
            defer { state.hasToldNetrc = true }
            return !state.hasToldNetrc
        }
    }

    // MARK: - Parts of a download

    func engine(
        for request: DownloadRequest, _ options: DownloadOptions, _ sink: ProgressSink, at url: ResourceURL? = nil,
        on threads: DiskThreads? = nil, _ prepared: PreparedOptions? = nil
    ) throws(DownloadError) -> DownloadEngine<AnyTransport> {
        let prepared = prepared ?? PreparedOptions(options, over: choice)
        let (url, mirrors, scope) = try parts(of: request, options, at: url) { () throws(DownloadError) in
            if let problem = prepared.problem { throw problem }
        }
        let shared = try makeShared()
        let split = DownloadEngine<AnyTransport>.splitPolicy(for: request, options)
        _ = try prepared.netrc.get()
        var engine = DownloadEngine(
            request: request, options: options, url: url, mirrors: mirrors, scope: scope,
            network: shared.network, time: shared.time,
            splitPolicy: split,
            wallClock: WallClock.secondsSince1970,
            threads: threads ?? shared.threads[0], sink: sink,
            firstSlot: Int(slots.next(split.connections + request.mirrors.count + VolunteeredMirrors.most + 2)),
            seed: seeds.next(), profile: prepared.profile)
        engine.ticker = shared.ticker
        return engine
    }

    /// Where the next download is driven, each thread in its turn; nil, anywhere, if there can be none.
    var nextThreads: DiskThreads? {
        guard let shared = try? makeShared() else { return nil }
        return nextThreads(of: shared)
    }

    private func nextThreads(of shared: Shared) -> DiskThreads {
        shared.threads[Int(turns.next(1) % Int64(shared.threads.count))]
    }

    /// Where the next download of a batch is driven: where its answer comes in, if it may be small.
    func threads(for request: DownloadRequest, at url: ResourceURL?) -> DiskThreads? {
        guard let shared = try? makeShared() else { return nil }
        var threads = nextThreads(of: shared)
        if let url, request.mayComeWhole, request.checksumFile == nil {
            threads.driver = shared.network.executor(isSecure: url.isSecure)
        }
        return threads
    }

    func makeShared() throws(DownloadError) -> Shared {
        let result: Result<Shared, TransportError> = state.withLock { state in
            if let shared = state.shared { return .success(shared) }
            do throws(TransportError) {
                let made = Shared(network: try self.choice.make())
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
            return try choice.parse(text, nil)
        } catch {
            throw DownloadError(.invalidRequest, "'\(AddressText.shown(text))' can't be fetched: \(error.reason)")
        }
    }

    private func mirrors(of request: DownloadRequest) throws(DownloadError) -> [ResourceURL] {
        var mirrors: [ResourceURL] = []
        for mirror in request.mirrors { mirrors.append(try address(mirror)) }
        return mirrors
    }
}
