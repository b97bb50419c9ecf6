/// What a download is doing.
///
/// ```
///             ┌──────────────────────── resume ─────────────────────────┐
///             ▼                                                         │
/// queued → probing → downloading ⇄ verifying → finished                 │
///    └─────────┴───────────┴───────────┴── pause ──→ paused ────────────┘
///    └─────────┴───────────┴───────────┴── or: failed, cancelled
/// ```
public enum DownloadState: String, CaseIterable, Hashable, Sendable, Codable {
    /// Waits for its turn and for a connection.
    case queued
    /// Looks at what is on disk and waits for the first answer.
    case probing
    /// Bytes are coming, or a retry is due.
    case downloading
    /// Stopped by `Download.pause()`: everything received is journaled, and no connection and no lock is held.
    case paused
    /// Every byte is here; the rest of the final check runs.
    case verifying
    /// The file has its name.
    case finished
    /// Ended without a finished file; `Download.receipt` says why.
    case failed
    /// Ended by `Download.cancel()`, by `Download.cancelAndDiscard()` or by cancelling the task that waited for it.
    case cancelled

    /// Whether no other state follows.
    public var isFinal: Bool {
        switch self {
        case .finished, .failed, .cancelled: true
        case .queued, .probing, .downloading, .paused, .verifying: false
        }
    }
}
