/// How far a download is: a snapshot.
public struct DownloadProgress: Hashable, Sendable {
    /// What the download is doing.
    public enum Phase: Hashable, Sendable {
        /// Waiting for the first answer.
        case probing
        /// Bytes are coming, or a retry is due.
        case downloading
        /// Every byte is here; the rest of the final check runs.
        case verifying
        /// Finished.
        case finished
    }

    /// What the download is doing.
    public var phase: Phase = .probing
    /// Bytes of the file on hand, those of earlier runs included.
    ///
    /// Runs backwards only when `restarts` goes up.
    public var received: Int64 = 0
    /// Of these, bytes inherited from an earlier run.
    public var resumed: Int64 = 0
    /// How often what was on hand was thrown away; as long as it stays the same, `received` never runs backwards.
    ///
    /// Goes up by one with each `DownloadEvent.restarted`, so that readers of both streams can put them in order.
    public var restarts = 0
    /// Size of the file in bytes, nil as long as the server did not say.
    public var total: Int64?
    /// Smoothed rate in bytes a second, without resumed bytes.
    public var bytesPerSecond: Double = 0
    /// Time left at that rate; nil if the size or the rate is unknown.
    public var timeLeft: Duration?
    /// Connections with a request under way.
    public var connections = 0
    /// Finished ranges, ascending, half-open.
    public var finishedRanges: [Range<Int64>] = []

    /// What each connection with an answer still has to bring, half-open; its lower bound is where the connection is.
    public var connectionRanges: [Range<Int64>] = []
    /// Ranges that were read back from the disk and are as they came, ascending, half-open.
    public var verifiedRanges: [Range<Int64>] = []

    /// Makes the snapshot of a download that has not begun.
    public init() {}
}
