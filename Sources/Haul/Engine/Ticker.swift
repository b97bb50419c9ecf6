import HaulCore
import Synchronization

/// One beat for all downloads: a timer for each would cost more than a small file's transfer.
final class Ticker: Sendable {
    private struct State {
        var listeners: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var isBeating = false
    }

    private let time: TimeSource
    private let state = Mutex(State())

    /// Time between two beats; whoever begins to wait in between waits for less.
    static let interval = Duration.milliseconds(100)

    /// Makes a ticker that rests until somebody waits.
    init(_ time: TimeSource) { self.time = time }

    /// Who waits now.
    var waiting: Int { state.withLock { $0.listeners.count } }

    /// Whether a timer runs.
    var isBeating: Bool { state.withLock { $0.isBeating } }

    /// Calls at the next beat, once, on any thread.
    ///
    /// - Parameters:
    ///   - listener: who wants to know; asking again before the beat changes nothing.
    ///   - body: what to call; must not block.
    func tell(_ listener: some AnyObject, _ body: @escaping @Sendable () -> Void) {
        let begins = state.withLock { state in
            state.listeners[ObjectIdentifier(listener)] = body
            defer { state.isBeating = true }
            return !state.isBeating
        }
        if begins { Task { await self.beat() } }
    }

    /// Does not call any more; one call may be under way.
    func forget(_ listener: some AnyObject) {
        _ = state.withLock { $0.listeners.removeValue(forKey: ObjectIdentifier(listener)) }
    }

    /// Beats as long as somebody waits.
    private func beat() async {
        while true {
            await time.sleep(Self.interval)
            let listeners = state.withLock { state in
                defer { state.listeners.removeAll(keepingCapacity: true) }
                state.isBeating = !state.listeners.isEmpty
                return state.listeners
            }
            guard !listeners.isEmpty else { return }
            for body in listeners.values { body() }
        }
    }
}
