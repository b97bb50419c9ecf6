import Synchronization

/// Lets a number of things in at once; one task waits at it.
///
/// Who has had to wait is woken when several places are free, and then finds work for a while: waking it for each would
/// cost more than what it does.
final class Gate: Sendable {
    private struct State {
        var free: Int
        var waiter: CheckedContinuation<Void, Never>?
        var isOpen = false

        /// Takes a place if there is one, or if there is no end of them.
        mutating func enter() -> Bool {
            guard free > 0 || isOpen else { return false }
            free -= 1
            return true
        }
    }

    private let state: Mutex<State>
    private let fewestToWake: Int

    /// Makes a gate.
    ///
    /// - Parameters:
    ///   - capacity: how many are let in.
    ///   - fewestToWake: free places for which who waits is woken.
    init(_ capacity: Int, wakingFor fewestToWake: Int = 1) {
        state = Mutex(State(free: capacity))
        self.fewestToWake = max(1, min(fewestToWake, capacity))
    }

    /// Whether somebody waits.
    var hasWaiter: Bool { state.withLock { $0.waiter != nil } }

    /// Waits for a place and takes it; returns at once when the task is cancelled.
    func wait() async {
        // Nearly always: what follows costs more than all else here.
        if state.withLock({ $0.enter() }) { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let goesOn = state.withLock { state in
                    if state.enter() { return true }
                    state.waiter = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.isOpen = true
                return state.waiter.take()
            }
            waiter?.resume()
        }
    }

    /// Gives a place back.
    func signal() {
        let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
            state.free += 1
            guard state.free >= fewestToWake, let waiter = state.waiter.take() else { return nil }
            state.free -= 1
            return waiter
        }
        waiter?.resume()
    }
}
