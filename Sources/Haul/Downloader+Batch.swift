import HaulCore

extension Downloader {
    /// Requests that are taken from a batch's sequence beyond those that receive bytes: they wait for their turn, for the
    /// disk, or to be read.
    private static var lookAhead: Int { 256 }

    /// How many downloads may wait for the disk beside those that receive bytes, as far as files may be open: a partial
    /// and its journal each.
    static func mostAside(within openFiles: Int, _ limits: DownloaderOptions) -> Int {
        // A partial, its journal, and a file that is compared; streams, pipes and look-ups.
        let others = limits.maximumConnections + 3 * limits.maximumConcurrentDownloads + 24
        return min(lookAhead, max(0, openFiles - others) / 2)
    }

    /// Fetches any number of files, several at once.
    ///
    /// Requests are taken as they are needed: at most `maximumConcurrentDownloads` and 256 more are in memory, besides 64
    /// bytes at most for each that was taken, and its path if the server gave it. Equal requests, those for the same bytes
    /// from the same addresses, asked for in the same way and with the same digests, and for one destination, are one
    /// transfer; each has its outcome. Different ones that want one name get `name (2).ext` in the order of the sequence, as far as
    /// names follow from addresses; those that the server names, in the order of the answers.
    ///
    /// - Parameters:
    ///   - requests: what to fetch and where to put it.
    ///   - options: how.
    ///   - onStart: called when a download's turn has come, with its place in the sequence; not for duplicates. Must not
    ///     block.
    /// - Returns: the outcomes as downloads finish; a malformed request is an outcome too.
    public func download(
        contentsOf requests: some Sequence<DownloadRequest> & Sendable, options: DownloadOptions = DownloadOptions(),
        onStart: (@Sendable (Int, DownloadRequest, Download) -> Void)? = nil
    ) -> DownloadOutcomes {
        outcomes(options, onStart) { batch in
            var iterator = requests.makeIterator()
            while !Task.isCancelled, let request = iterator.next() { await batch.take(request) }
        }
    }

    /// Fetches any number of files, several at once, from a sequence that can't be sent, such as a lazy one.
    ///
    /// `(0..<1_000_000).lazy.map { … }` is not `Sendable`, and iterating twice is two batches: what is given here makes
    /// the sequence where it is read. The rest is as with a sequence.
    ///
    /// - Parameters:
    ///   - makeRequests: makes the sequence of what to fetch and where to put it; called once for each iteration.
    ///   - options: how.
    ///   - onStart: called when a download's turn has come, with its place in the sequence; not for duplicates. Must not
    ///     block.
    /// - Returns: the outcomes as downloads finish; a malformed request is an outcome too.
    public func download<Requests: Sequence<DownloadRequest> & SendableMetatype>(
        contentsOf makeRequests: @escaping @Sendable () -> Requests, options: DownloadOptions = DownloadOptions(),
        onStart: (@Sendable (Int, DownloadRequest, Download) -> Void)? = nil
    ) -> DownloadOutcomes where Requests.Iterator: SendableMetatype {
        outcomes(options, onStart) { batch in
            var iterator = makeRequests().makeIterator()
            while !Task.isCancelled, let request = iterator.next() { await batch.take(request) }
        }
    }

    /// Fetches any number of files, several at once, as their requests come.
    ///
    /// - Parameters:
    ///   - requests: what to fetch and where to put it.
    ///   - options: how.
    ///   - onStart: called when a download's turn has come, with its place in the sequence; not for duplicates. Must not
    ///     block.
    /// - Returns: the outcomes as downloads finish; a malformed request is an outcome too.
    public func download<Requests: AsyncSequence & Sendable>(
        contentsOf requests: Requests, options: DownloadOptions = DownloadOptions(),
        onStart: (@Sendable (Int, DownloadRequest, Download) -> Void)? = nil
    ) -> DownloadOutcomes where Requests.Element == DownloadRequest, Requests.Failure == Never {
        outcomes(options, onStart) { batch in
            var iterator = requests.makeAsyncIterator()
            while !Task.isCancelled, let request = await iterator.next(isolation: nil) {
                await batch.take(request)
            }
        }
    }

    private func outcomes(
        _ options: DownloadOptions, _ onStart: Batch.Start?,
        _ feed: @escaping @Sendable (Batch) async -> Void
    ) -> DownloadOutcomes {
        DownloadOutcomes(
            capacity: limits.maximumConcurrentDownloads + Self.lookAhead, wakingFor: Self.lookAhead / 2
        ) { gate, outcomes in
            Task {
                let batch = Batch(self, options, onStart, gate: gate, outcomes: outcomes)
                let expected = self.limits.maximumConcurrentDownloads
                self.budget.expect(expected)
                // Those that are somebody's downloads are ended as such.
                if onStart == nil { self.active.add(batch.tasks) }
                await withTaskCancellationHandler {
                    await feed(batch)
                    // Nothing more comes: who is left may use what is free.
                    self.budget.expect(-expected)
                    await batch.end()
                } onCancel: {
                    batch.cancel()
                }
                self.active.remove(batch.tasks)
                outcomes.finish()
            }
        }
    }
}
