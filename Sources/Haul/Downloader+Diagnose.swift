extension Downloader {
    /// Finds out how a server behaves for one address: redirects, ranges, validators, digests, connections.
    ///
    /// Takes a few small requests, and four connections held open together for a moment. Nothing is written to disk.
    ///
    /// - Parameters:
    ///   - request: what to ask for; its destination does not matter.
    ///   - options: how.
    /// - Returns: what was found, and how many connections to use.
    /// - Throws: `DownloadError` as a download would, when there is no answer with a file in it.
    @concurrent public func diagnose(
        _ request: DownloadRequest, options: DownloadOptions = DownloadOptions()
    ) async throws(DownloadError) -> ServerReport {
        var options = options
        options.connections = max(5, options.connections ?? 0)
        let sink = ProgressSink()
        return try await ServerDiagnosis(try engine(for: request, options, sink)).run()
    }
}
