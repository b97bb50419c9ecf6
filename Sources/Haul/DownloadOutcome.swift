/// How one request of a batch ended.
public struct DownloadOutcome: Sendable {
    /// Place of the request in the sequence, from 0.
    public var index: Int
    /// The request.
    public var request: DownloadRequest
    /// What it came to.
    public var result: Result<DownloadReceipt, DownloadError>
    /// Whether an equal request before it did the work.
    public var isDuplicate: Bool
}
