import Haul

/// How far a batch is: what the total line shows.
struct LiveTotal: Hashable, Sendable {
    /// Files that are there.
    var done = 0
    /// Files that failed.
    var failed = 0
    /// Files under way.
    var active = 0
    /// Files in all; nil as long as the list is being read.
    var files: Int?
    /// Bytes received by finished files and by those under way, resumed ones not among them.
    var received: Int64 = 0
    /// Sum of the rates of the files under way, in bytes a second.
    var bytesPerSecond: Double = 0
    /// Connections under way.
    var connections = 0
}
