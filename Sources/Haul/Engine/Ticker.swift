import HaulCore
import Synchronization

/// One beat for all downloads: a timer for each would cost more than a small file's transfer.
final class Ticker: Sendable {
    private struct State {
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextNumber = 0
        var isBeating = false
    }

    private let time: TimeSource
    private let state = Mutex(State())

    /// Time between two beats; whoever begins to wait in between waits for less.
    static let interval = Duration.milliseconds(100)

    /// Makes a ticker that rests until somebody waits.
    init(_ time: TimeSource) { self.time = time }

    /// Who waits now.
    var waiting: Int { state.withLock { $0.waiters.count } }

    /// Whether a timer runs.
    var isBeating: Bool { state.withLock { $0.isBeating } }

    /// Waits for the next beat, or until the task is cancelled.
    func wait() async {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let (waits, begins) = state.withLock { state in
                    // Under the lock: a cancellation before finds nobody, one after it finds the waiter.
                    if Task.isCancelled { return (false, false) }
                    state.waiters[number] = continuation
                    defer { state.isBeating = true }
                    return (true, !state.isBeating)
                }
                if !waits { continuation.resume() }
                if begins { Task { await self.beat() } }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }

    /// Beats as long as somebody waits.
    private func beat() async {
        while true {
            await time.sleep(Self.interval)
            let waiters = state.withLock { state in
                defer { state.waiters.removeAll(keepingCapacity: true) }
                state.isBeating = !state.waiters.isEmpty
                return state.waiters
            }
            guard !waiters.isEmpty else { return }
            for waiter in waiters.values { waiter.resume() }
        }
    }
}
