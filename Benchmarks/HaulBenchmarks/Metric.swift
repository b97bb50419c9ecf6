/// A figure of a run that can be compared.
enum Metric: String, CaseIterable, Sendable {
    /// Seconds from start to end.
    case wall
    /// Seconds of CPU for each GiB.
    case cpu
    /// Largest resident set in MiB.
    case memory
    /// Bytes sent for each that was wanted.
    case overfetch
    /// Share of the time that the last hundredth took.
    case tail

    /// Its value.
    func value(_ run: Run) -> Double {
        switch self {
        case .wall: run.wall
        case .cpu: run.processorTimePerGiB
        case .memory: Double(run.peakMemory) / Double(1 << 20)
        case .overfetch: run.overFetch
        case .tail: run.wall > 0 ? run.tail / run.wall : 0
        }
    }

    /// What it is, for people.
    var title: String {
        switch self {
        case .wall: "seconds"
        case .cpu: "CPU seconds a GiB"
        case .memory: "peak memory, MiB"
        case .overfetch: "bytes sent ÷ size"
        case .tail: "share of the last 1 %"
        }
    }
}
