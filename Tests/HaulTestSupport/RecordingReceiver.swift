package import HaulCore
import HaulOrigin

/// Keeps what a transport hands over, and answers as it is told to.
package final class RecordingReceiver: ResponseReceiver {
    /// One call that it got.
    package enum Call: Hashable, Sendable {
        /// `connected`.
        case connected
        /// `receive` with a head.
        case head(status: Int)
        /// `receive` with that many bytes.
        case bytes(Int)
    }

    private struct State: Sendable {
        var calls: [Call] = []
        var head: ResponseHead?
        var bytes: [UInt8] = []
        var count: Int64 = 0
    }

    private let state = OriginLock(State())
    private let keepsBytes: Bool
    private let onHead: @Sendable (ResponseHead) -> Flow
    private let onBytes: @Sendable (_ received: Int64) -> Flow

    /// Makes a receiver.
    ///
    /// - Parameters:
    ///   - keepsBytes: whether the body is kept, or only counted.
    ///   - onHead: answers to the head.
    ///   - onBytes: answers to bytes, told how many came so far.
    package init(
        keepsBytes: Bool = true, onHead: @escaping @Sendable (ResponseHead) -> Flow = { _ in .proceed },
        onBytes: @escaping @Sendable (_ received: Int64) -> Flow = { _ in .proceed }
    ) {
        self.keepsBytes = keepsBytes
        self.onHead = onHead
        self.onBytes = onBytes
    }

    /// Every call in order.
    package var calls: [Call] { state.withLock { $0.calls } }

    /// The head, nil if none came.
    package var head: ResponseHead? { state.withLock { $0.head } }

    /// The body's bytes, if they are kept.
    package var bytes: [UInt8] { state.withLock { $0.bytes } }

    /// How many bytes came.
    package var count: Int64 { state.withLock { $0.count } }

    package func connected() {
        state.withLock { $0.calls.append(.connected) }
    }

    package func receive(_ head: ResponseHead) -> Flow {
        state.withLock { state in
            state.calls.append(.head(status: head.status))
            state.head = head
        }
        return onHead(head)
    }

    package func receive(_ bytes: RawSpan) -> Flow {
        let part = keepsBytes ? bytes.withUnsafeBytes { Array($0) } : []
        let size = bytes.byteCount
        let count = state.withLock { state in
            state.calls.append(.bytes(size))
            state.bytes += part
            state.count += Int64(size)
            return state.count
        }
        return onBytes(count)
    }
}
