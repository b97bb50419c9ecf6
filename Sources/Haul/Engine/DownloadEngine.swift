import HaulCore
import HaulSystem

/// Fetches one file over a transport: everything that a download needs and that does not change under way.
struct DownloadEngine<Network: Transport>: Sendable {
    let request: DownloadRequest
    let options: DownloadOptions
    /// The address that was asked for.
    let url: ResourceURL
    /// Other addresses of the same file.
    let mirrors: [ResourceURL]
    let scope: CredentialScope
    let network: Network
    let time: TimeSource
    /// How the work may be divided.
    let splitPolicy: SplitPolicy
    /// Seconds since 1970, for dates in answers.
    let wallClock: @Sendable () -> Int64
    let threads: DiskThreads
    let sink: ProgressSink
    /// Number of the first slot of this download's workers.
    let firstSlot: Int
    /// Seed of jitter and samples.
    let seed: UInt64

    /// Runs the download to its end.
    ///
    /// Cancelling the task ends it within a second in every phase, with all that was received recorded.
    @concurrent func run() async -> Result<DownloadReceipt, DownloadError> {
        var run = DownloadRun(self)
        let result = await run.execute()
        await run.close()
        sink.finish()
        return result
    }

    /// How the work may be divided, as the user asked for it.
    static func splitPolicy(for request: DownloadRequest, _ options: DownloadOptions) -> SplitPolicy {
        var policy = SplitPolicy()
        policy.connections = options.connections
        policy.minimumSplit = options.minimumSplitSize
        return policy
    }

    /// Trust, time-outs and route of every request.
    var connectionOptions: ConnectionOptions {
        var connection = ConnectionOptions()
        connection.connectTimeout = options.connectTimeout
        connection.trustFile = options.trustFile
        connection.acceptsAnyCertificate = options.acceptsAnyCertificate
        connection.userAgent = options.userAgent ?? "haul/\(Build.version)"
        return connection
    }
}

/// The two threads that files are touched on.
struct DiskThreads: Sendable {
    /// Opens, appends, renames.
    let disk: ThreadExecutor
    /// Reads back and hashes.
    let check: ThreadExecutor

    init() {
        disk = ThreadExecutor(name: "haul.disk")
        check = ThreadExecutor(name: "haul.check")
    }
}
