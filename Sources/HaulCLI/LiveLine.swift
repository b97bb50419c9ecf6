import Haul

/// What the live display shows of one download.
struct LiveLine: Hashable, Sendable {
    /// Name of the file, without control characters.
    var name: String
    /// The newest snapshot.
    var progress = DownloadProgress()
    /// What is going on instead of receiving, such as a wait; nil shows rate and time left.
    var note: String?
}
