import Synchronization

/// Tells the engine once that the first answer's head is there.
final class HeadSignal: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Void, Never>)
        case sent
    }

    private let state = Mutex(State.idle)
    private let tell: (@Sendable () -> Void)?

    /// Makes a signal that was not sent.
    ///
    /// - Parameter tell: called when it is, instead of or besides waking who waits.
    init(_ tell: (@Sendable () -> Void)? = nil) { self.tell = tell }

    /// Wakes the waiting task, or lets a later `wait` return at once.
    ///
    /// Sending twice is sending once.
    func send() {
        let before = state.withLock { state in
            defer { state = .sent }
            return state
        }
        switch before {
        case .idle: break
        case .waiting(let continuation): continuation.resume()
        case .sent: return
        }
        tell?()
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
