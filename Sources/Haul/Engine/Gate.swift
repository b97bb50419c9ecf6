import Synchronization

/// Lets a number of things in at once; one task waits at it.
final class Gate: Sendable {
    private struct State {
        var free: Int
        var waiter: CheckedContinuation<Void, Never>?
        var isOpen = false
    }

    private let state: Mutex<State>

    /// Makes a gate.
    init(_ capacity: Int) { state = Mutex(State(free: capacity)) }

    /// Waits for a place and takes it; returns at once when the task is cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let goesOn = state.withLock { state in
                    guard state.free == 0, !state.isOpen else {
                        state.free -= 1
                        return true
                    }
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
        let waiter = state.withLock { state in
            let waiter = state.waiter.take()
            if waiter == nil { state.free += 1 }
            return waiter
        }
        waiter?.resume()
    }
}
