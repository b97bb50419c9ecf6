import HaulOrigin

/// Something that one task waits for and anybody may bring about, now or before the wait.
package final class Latch: Sendable {
    private struct State: Sendable {
        var isOpen = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = OriginLock(State())

    /// Makes a closed latch.
    package init() {}

    /// Whether `open` was called since the last `close`.
    package var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Makes waits last until the next `open`.
    package func close() { state.withLock { $0.isOpen = false } }

    /// Ends the wait that goes on, or the next one.
    package func open() {
        let waiter = state.withLock { state in
            state.isOpen = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for `open` or for the task's cancellation.
    package func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isOpen || Task.isCancelled { return true }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            open()
        }
    }
}
