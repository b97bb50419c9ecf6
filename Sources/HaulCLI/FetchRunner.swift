import Haul

/// Fetches the files of a job, one after the other.
struct FetchRunner: Sendable {
    /// What to fetch.
    let job: FetchJob
    /// Where lines go.
    let console: Console
    /// Whether a line can be drawn over.
    let isLive: Bool
    /// The signal that ends the program, once there is one.
    let interruption: @Sendable () -> Int32?

    /// Fetches everything; a file that fails does not keep the next from being tried.
    ///
    /// - Returns: the status of the first failure.
    @concurrent func run() async -> ExitStatus {
        let downloader = Downloader()
        downloader.maximumRate = job.maximumRate
        var failures: [ExitStatus] = []
        var done = 0
        for request in job.requests where interruption() == nil {
            let status = await fetch(request, with: downloader)
            if status == .done { done += 1 } else { failures.append(status) }
        }
        if job.requests.count > 1, job.reporting.verbosity != .quiet {
            let skipped = job.requests.count - done - failures.count
            console.error("haul: " + Report.summary(done: done, failed: failures.count, skipped: skipped))
        }
        if let first = failures.first { return first }
        if done < job.requests.count, let signal = interruption() { return .interrupted(signal: signal) }
        return .done
    }

    private func fetch(_ request: DownloadRequest, with downloader: Downloader) async -> ExitStatus {
        let reporter = Reporter(
            request, job.reporting, on: console, isLive: isLive, isOneOfMany: job.requests.count > 1)
        let download = downloader.start(request, options: job.options)
        let result: Result<DownloadReceipt, DownloadError> = await withTaskCancellationHandler {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await progress in download.progress { reporter.progress(progress) } }
                group.addTask { for await event in download.events { reporter.event(event) } }
            }
            do throws(DownloadError) { return .success(try await download.receipt) } catch { return .failure(error) }
        } onCancel: {
            download.cancel()
        }
        switch result {
        case .success(let receipt):
            reporter.done(receipt)
            return .done
        case .failure(let error):
            if let signal = interruption(), error.code == .cancelled {
                let status = ExitStatus.interrupted(signal: signal)
                reporter.interrupted(error, status)
                return status
            }
            let status = ExitStatus(error.code)
            if status == .done {
                reporter.ended()
                return status
            }
            reporter.failed(error, status)
            return status
        }
    }
}
