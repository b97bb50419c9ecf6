/// One measured run of one contender.
struct Run: Sendable {
    /// Round in which it ran, counted from 0.
    var round: Int
    /// Seconds from start to end.
    var wall = 0.0
    /// Seconds of CPU in user mode.
    var user = 0.0
    /// Seconds of CPU in the kernel.
    var system = 0.0
    /// Largest resident set in bytes.
    var peakMemory: Int64 = 0
    /// Bytes that were wanted.
    var wanted: Int64 = 0
    /// Bytes that the server sent, those of an interrupted run before it included.
    var sent: Int64 = 0
    /// Seconds from the moment when 99 % had been sent to the end.
    var tail = 0.0
    /// What the server saw, with times since the run's start.
    var server = ServerLog()
    /// Whether it was ended because it took too long.
    var isLate = false
    /// Why it does not count; nil if it does.
    var failure: String?

    /// Seconds of CPU.
    var processorTime: Double { user + system }
    /// Seconds of CPU for each GiB that was wanted.
    var processorTimePerGiB: Double { processorTime / (Double(max(1, wanted)) / Double(1 << 30)) }
    /// Bytes sent for each that was wanted.
    var overFetch: Double { Double(sent) / Double(max(1, wanted)) }
}
