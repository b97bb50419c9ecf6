import Haul

/// A download that can be stopped for resume data, and gone on with from them, in another process too.
struct StoppableFetch: Sendable {
    let download: Download

    /// Begins; the file gets the server's name in `caches` when it is complete and verified.
    ///
    /// - Parameters:
    ///   - url: absolute http or https address.
    ///   - temporary: where the partial is kept.
    ///   - caches: where the finished file goes.
    ///   - downloader: what fetches it.
    init(_ url: String, temporary: String, caches: String, by downloader: Downloader) {
        var options = DownloadOptions()
        options.temporaryDirectory = temporary
        download = downloader.start(DownloadRequest(url, to: .directory(caches)), options: options)
    }

    /// Goes on.
    ///
    /// - Parameters:
    ///   - resumeData: what `stop()` gave.
    ///   - url: the address, if it had a query: resume data hold no secrets.
    ///   - downloader: what fetches the rest.
    /// - Throws: when the resume data are damaged, or the address is missing.
    init(resumeData: String, url: String? = nil, by downloader: Downloader) throws {
        guard let token = ResumeToken(resumeData) else { throw DownloadError(.invalidRequest, "no resume data") }
        download = downloader.start(try DownloadRequest(resuming: token, from: url))
    }

    /// Stops, and waits until everything that was received is recorded.
    ///
    /// - Returns: resume data; nil if there is nothing to go on from, or the file is finished.
    /// - Throws: when the journal can't be read.
    func stop() async throws -> String? {
        download.cancel()
        for await _ in download.states {}
        return try download.resumeToken()?.description
    }
}
