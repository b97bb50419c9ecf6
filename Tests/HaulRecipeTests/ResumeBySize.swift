import Haul

/// Fetches a file and goes on from whatever part of it lies at its path, whoever left it there, without any journal.
///
/// - Parameters:
///   - url: absolute http or https address.
///   - path: where the file goes, and where its beginning may be already.
///   - progress: called with bytes on hand and the size, nil as long as the server has not said it.
///   - success: called with the path of the finished file.
///   - failure: called with what happened and what to do.
/// - Returns: the task; cancelling it keeps what was received.
@discardableResult
func resumeBySize(
    _ url: String, to path: String,
    progress: @escaping @Sendable (Int64, Int64?) -> Void,
    success: @escaping @Sendable (String) -> Void,
    failure: @escaping @Sendable (DownloadError) -> Void
) -> Task<Void, Never> {
    var request = DownloadRequest(url, to: path)
    // The size on disk says where to go on; that the bytes before it are the server's is compared first. A file that is
    // whole already is found to be so; one that is longer than the server's, or another one, is fetched anew.
    request.existing = .resume
    let download = Downloader().start(request)
    return Task {
        await withTaskCancellationHandler {
            for await step in download.progress { progress(step.received, step.total) }
            do throws(DownloadError) { success(try await download.receipt.path) } catch { failure(error) }
        } onCancel: {
            download.cancel()
        }
    }
}
