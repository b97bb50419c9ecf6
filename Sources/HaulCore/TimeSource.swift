/// Where the engine gets its time from: the machine's clock in the program, a faster one in tests.
package struct TimeSource: Sendable {
    /// Time since an arbitrary fixed moment; never runs backwards.
    package let now: @Sendable () -> Duration
    /// Waits for the given time, or until the task is cancelled: both just return.
    package let sleep: @Sendable (Duration) async -> Void

    /// Makes a time source.
    package init(now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async -> Void) {
        self.now = now
        self.sleep = sleep
    }

    /// The machine's continuous clock, made faster by `speed`.
    ///
    /// - Parameter speed: how many seconds pass in one; 1 is real time.
    /// - Returns: a source that starts at zero now.
    package static func continuous(speed: Double = 1) -> TimeSource {
        let clock = ContinuousClock()
        let start = clock.now
        // A product with a fraction of 128 bits takes as long as the rest of a look at the clock ten times over.
        guard speed != 1 else {
            return TimeSource(now: { clock.now - start }, sleep: { try? await clock.sleep(for: $0) })
        }
        return TimeSource(
            now: { (clock.now - start) * speed },
            sleep: { try? await clock.sleep(for: $0 / speed) })
    }
}
