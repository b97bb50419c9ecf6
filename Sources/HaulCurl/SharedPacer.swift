import HaulCore
import Synchronization

/// One rate for all transfers of a transport, whatever their number and on whichever thread they run.
final class SharedPacer: Sendable {
    private struct State: Sendable {
        var rate: Int64?
        var pacer: RatePacer?
    }

    private let state = Mutex(State())
    private let limited = Atomic<Bool>(false)

    /// Most bytes a second, nil for no limit; a change holds at once, but for bytes that were reserved before it.
    var rate: Int64? {
        get { state.withLock { $0.rate } }
        set {
            state.withLock { $0 = State(rate: newValue, pacer: newValue.map { RatePacer(rate: $0, now: .now) }) }
            limited.store(newValue != nil, ordering: .relaxed)
        }
    }

    /// Whether there is a limit.
    var isLimited: Bool { limited.load(ordering: .relaxed) }

    /// Reserves the next `count` bytes.
    ///
    /// - Returns: when they may be taken, nil if now.
    func reserve(_ count: Int, now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        state.withLock { $0.pacer?.reserve(count, now: now) }
    }
}
