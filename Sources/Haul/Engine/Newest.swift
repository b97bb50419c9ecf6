import Synchronization

/// The newest of a row of values, with any number of readers.
final class Newest<Value: Sendable>: Sendable {
    /// A value and its place in the row, from 1.
    typealias Numbered = (value: Value, version: Int)

    /// Readers that a change woke up; to be told after all locks are released.
    struct Readers {
        fileprivate var continuations: [CheckedContinuation<Void, Never>] = []

        /// Lets them go on.
        func wake() { for continuation in continuations { continuation.resume() } }
    }

    private struct State {
        var value: Value?
        var version = 0
        var isFinished = false
        var readers: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextReader = 0

        mutating func takeReaders() -> Readers {
            guard !readers.isEmpty else { return Readers() }
            defer { readers = [:] }
            return Readers(continuations: Array(readers.values))
        }
    }

    private enum Look {
        case found(Numbered)
        case end
        case wait
    }

    private let state: Mutex<State>

    /// Makes a row.
    ///
    /// - Parameter first: its first value; nil if there is none yet.
    init(_ first: Value? = nil) { state = Mutex(State(value: first, version: first == nil ? 0 : 1)) }

    /// The present value.
    var value: Value? { state.withLock { $0.value } }

    /// Replaces the value; ignored after the end.
    ///
    /// - Returns: who waits for it.
    func put(_ value: Value) -> Readers {
        state.withLock { state in
            guard !state.isFinished else { return Readers() }
            state.value = value
            state.version += 1
            return state.takeReaders()
        }
    }

    /// No other value follows.
    ///
    /// - Returns: who waits for one.
    func finish() -> Readers {
        state.withLock { state in
            state.isFinished = true
            return state.takeReaders()
        }
    }

    /// Waits for a value that is newer than `version`.
    ///
    /// - Returns: nil at the end, or when the task is cancelled.
    func next(after version: Int) async -> Numbered? {
        while !Task.isCancelled {
            switch look(after: version) {
            case .found(let numbered): return numbered
            case .end: return nil
            case .wait: await change(after: version)
            }
        }
        return nil
    }

    private func look(after version: Int) -> Look {
        state.withLock { state in
            if state.version > version, let value = state.value { return .found((value, state.version)) }
            return state.isFinished ? .end : .wait
        }
    }

    /// Waits until there may be something to see, or the task is cancelled.
    private func change(after version: Int) async {
        let reader = state.withLock { state in
            state.nextReader += 1
            return state.nextReader
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let waits = state.withLock { state in
                    // Looked at under the lock: who cancels afterwards finds the reader.
                    guard state.version == version, !state.isFinished, !Task.isCancelled else { return false }
                    state.readers[reader] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.readers.removeValue(forKey: reader) }?.resume()
        }
    }
}
