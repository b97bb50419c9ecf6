/// What a finished download came to.
public struct DownloadReceipt: Hashable, Sendable {
    /// Path of the finished file.
    public var path: String
    /// Its size in bytes.
    public var bytes: Int64
    /// Of these, bytes inherited from earlier runs.
    public var resumed: Int64
    /// Bytes of body that this run received, those fetched twice included.
    public var received: Int64
    /// Time from start to finish.
    public var duration: Duration
    /// The most connections that were at work at once; where the server refused some, the most that it served at once.
    public var connections: Int
    /// Rate of several connections divided by that of one; nil unless both were seen for long enough to tell.
    public var speedUp: Double?
    /// Requests sent, redirects and failed ones included.
    public var requests: Int
    /// Whether the file was there already and nothing was fetched.
    public var wasComplete: Bool
    /// What was proved and how, such as `crc32c of every range` or `sha-256`.
    public var verified: [String]

    /// Makes a receipt.
    ///
    /// - Parameters:
    ///   - path: path of the finished file.
    ///   - bytes: its size.
    public init(path: String, bytes: Int64) {
        self.path = path
        self.bytes = bytes
        resumed = 0
        received = 0
        duration = .zero
        connections = 0
        requests = 0
        wasComplete = false
        verified = []
    }
}
