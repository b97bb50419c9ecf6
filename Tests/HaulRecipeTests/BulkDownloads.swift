import Haul

/// Many files at once, by static calls.
enum BulkDownloads {
    /// One for the program: connections, rate and memory are shared.
    private static let downloader: Downloader = {
        var options = DownloaderOptions()
        options.maximumConcurrentDownloads = 16
        // The write cache: what is gathered before it goes to disk, in all.
        options.maximumBufferedBytes = 16 << 20
        return Downloader(options: options)
    }()

    /// Fetches files into a folder; those that an earlier run of the program began are gone on with, and those that it
    /// finished are not fetched again.
    ///
    /// - Parameters:
    ///   - urls: absolute http or https addresses, as many as there are.
    ///   - folder: where the files go.
    ///   - completion: called for each as it ends, in whatever order.
    /// - Returns: number of files that are there now.
    @discardableResult
    static func fetch(
        _ urls: [String], into folder: String,
        completion: @Sendable (String, Result<String, DownloadError>) -> Void = { _, _ in }
    ) async -> Int {
        let requests = urls.lazy.map { DownloadRequest($0, to: .directory(folder)) }
        var finished = 0
        for await outcome in downloader.download(contentsOf: Array(requests)) {
            if case .success = outcome.result { finished += 1 }
            completion(outcome.request.url, outcome.result.map(\.path))
        }
        return finished
    }

    /// What earlier runs have left unfinished in a folder: name and bytes on hand.
    ///
    /// - Parameter folder: where the files go.
    /// - Returns: the unfinished files.
    /// - Throws: when the folder can't be read.
    static func unfinished(in folder: String) throws -> [String: Int64] {
        let partials = try downloader.unfinished(in: folder)
        return Dictionary(partials.map { ($0.path, $0.finished) }) { first, _ in first }
    }
}
