import Synchronization

/// Tells the engine once that the first answer's head is there.
final class HeadSignal: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Void, Never>)
        case sent
    }

    private let state = Mutex(State.idle)

    /// Wakes the waiting task, or lets a later `wait` return at once.
    ///
    /// Sending twice is sending once.
    func send() {
        let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
            defer { state = .sent }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume()
    }

    /// Returns when `send` was called.
    ///
    /// For one task; the sender must send in any case, also when all ends.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isSent = state.withLock {
                if case .sent = $0 { return true }
                $0 = .waiting(continuation)
                return false
            }
            if isSent { continuation.resume() }
        }
    }
}
