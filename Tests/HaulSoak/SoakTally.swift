import Haul

/// What has happened so far.
struct SoakTally: Sendable {
    /// Files begun and ended.
    var files = 0
    /// Runs of library and program.
    var runs = 0
    /// Runs that delivered the file.
    var delivered = 0
    /// Runs that were cancelled or interrupted.
    var cancelled = 0
    /// Runs of the program that SIGKILL ended.
    var killed = 0
    /// Failures by their names.
    var failures: [String: Int] = [:]
    /// Bytes of right files.
    var bytes: Int64 = 0
    /// What must not be.
    var faults: [String] = []

    /// Adds another one's numbers.
    mutating func add(_ other: SoakTally) {
        files += other.files
        runs += other.runs
        delivered += other.delivered
        cancelled += other.cancelled
        killed += other.killed
        failures.merge(other.failures, uniquingKeysWith: +)
        bytes += other.bytes
        faults += other.faults
    }

    /// All numbers in one line.
    var summary: String {
        let named = failures.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return "\(files) files, \(runs) runs: \(delivered) delivered (\(bytes >> 20) MiB), \(cancelled) cancelled, "
            + "\(killed) killed, named failures: \(named.isEmpty ? "none" : named); \(faults.count) faults"
    }
}
