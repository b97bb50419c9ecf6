/// Fetches files over several connections each. Safe to share; one is enough for a program.
public final class Downloader: Sendable {
    /// Makes a downloader. Threads start with the first download.
    public init() {}

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
        let download = start(request, options: options)
        let result: Result<DownloadReceipt, DownloadError> = await withTaskCancellationHandler {
            do throws(DownloadError) { return .success(try await download.receipt) } catch { return .failure(error) }
        } onCancel: {
            download.cancel()
        }
        return try result.get()
    }

    /// Starts fetching one file.
    ///
    /// - Parameters:
    ///   - request: what to fetch and where to put it.
    ///   - options: how.
    /// - Returns: the download under way; a malformed request fails through its `receipt`.
    public func start(_ request: DownloadRequest, options: DownloadOptions = DownloadOptions()) -> Download {
        fatalError("engine")
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
        fatalError("engine")
    }
}
