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
    /// Path of the file, finished or not, as far as it is known: what an unfinished one has left is found by it.
    ///
    /// Nil where bytes go to a descriptor.
    public var path: String?
}
