/// Rate of arrival over the last few seconds, and the time left at that rate.
///
/// Time comes as an argument, measured from any fixed moment. Only bytes that were received in this run are to be
/// counted: what a resume found on disk says nothing about the network.
package struct RateEstimator: Hashable, Sendable {
    /// What had been received at a moment.
    private struct Sample: Hashable, Sendable {
        var time: Duration
        var received: Int64
    }

    /// Length of the time over which the rate is taken.
    package let window: Duration
    /// Samples in ascending order; all but the first lie within the window, so there are at most a few dozen.
    private var samples: [Sample] = []

    /// Makes an estimator without any sample; five seconds are steady to read and quick to show a stall.
    package init(window: Duration = .seconds(5)) { self.window = max(window, .milliseconds(100)) }

    /// Notes that `received` bytes in all had come at `time`.
    ///
    /// A number below the last one is a new start. A time before the last one is taken as that one.
    package mutating func record(_ received: Int64, at time: Duration) {
        if let last = samples.last {
            if received < last.received {
                samples = []
            } else if samples.count > 1, time - samples[samples.count - 2].time < window / 50 {
                // A fiftieth of the window is as fine as anyone can see.
                samples[samples.count - 1] = Sample(time: max(time, last.time), received: received)
                return
            }
        }
        samples.append(Sample(time: max(time, samples.last?.time ?? time), received: received))
        let start = time - window
        let base = samples.lastIndex { $0.time <= start } ?? 0
        samples.removeFirst(base)
    }

    /// Bytes a second at `time`; nil until there is something to measure.
    ///
    /// Falls to 0 within the window when nothing comes any more.
    package func rate(at time: Duration) -> Double? {
        guard let last = samples.last, let first = samples.last(where: { $0.time <= time - window }) ?? samples.first
        else { return nil }
        let elapsed = max(time, last.time) - first.time
        guard elapsed >= window / 20 else { return nil }
        return Double(last.received - first.received) / (elapsed / .seconds(1))
    }

    /// Time that `remaining` bytes take at the rate of `time`; nil if nobody can tell, or if it is beyond a year.
    package func timeLeft(_ remaining: Int64, at time: Duration) -> Duration? {
        guard let rate = rate(at: time), rate > 0 else { return nil }
        let seconds = Double(max(0, remaining)) / rate
        return seconds < 31_536_000 ? .seconds(seconds) : nil
    }
}
