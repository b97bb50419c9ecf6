import Haul

/// One file with a temporary and a final folder, which tells what it is doing and can be paused, cancelled and cleaned.
struct TwoFolderFetch: Sendable {
    private let download: Download

    /// Begins, unless the file is there already.
    ///
    /// - Parameters:
    ///   - url: absolute http or https address.
    ///   - name: name of the file in both folders.
    ///   - temporary: where it is until it is finished.
    ///   - final: where it is then.
    ///   - asksServer: whether a file in the final folder is compared with the server's, instead of being believed.
    ///   - downloader: what fetches it.
    init(_ url: String, name: String, temporary: String, final: String, asksServer: Bool, by downloader: Downloader) {
        var request = DownloadRequest(url, to: final + "/" + name)
        request.existing = asksServer ? .verify : .trust
        // What older versions of the program left: as long as the server's file it is finished, shorter it is gone on
        // from, longer or with other bytes it is of no use, and the file is fetched anew.
        request.prefix = temporary + "/" + name
        request.prefixIsOptional = true
        var options = DownloadOptions()
        options.temporaryDirectory = temporary
        download = downloader.start(request, options: options)
    }

    /// What it is doing, and each change of it.
    var states: DownloadUpdates<DownloadState> { download.states }

    /// Rests; everything received is kept.
    func pause() { download.pause() }

    /// Goes on.
    func resume() { download.resume() }

    /// Ends, and keeps what was received for the next time.
    func cancel() { download.cancel() }

    /// Ends, and leaves nothing in the temporary folder.
    func cancelAndClean() { download.cancelAndDiscard() }

    /// Waits for the end.
    ///
    /// - Returns: whether the file had been there already.
    /// - Throws: why there is no file.
    func wait() async throws(DownloadError) -> Bool { try await download.receipt.wasComplete }
}
