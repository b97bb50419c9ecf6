import HaulCore
import Synchronization

/// Keeps what a response brought, and answers as the test wants.
final class Recorder: ResponseReceiver {
    private struct State {
        var heads: [ResponseHead] = []
        var body: [UInt8] = []
        var total = 0
        var connections = 0
        var calls = 0
    }

    /// Fires with the first `connected()`.
    let isConnected = Signal()
    /// Fires with the head.
    let hasHead = Signal()
    /// Fires with the first bytes.
    let hasBytes = Signal()

    private let state = Mutex(State())
    private let onHead: @Sendable (ResponseHead) -> Flow
    private let onBytes: @Sendable (_ total: Int) -> Flow

    private let keepsBody: Bool

    init(
        keepsBody: Bool = true,
        onHead: @escaping @Sendable (ResponseHead) -> Flow = { _ in .proceed },
        onBytes: @escaping @Sendable (_ total: Int) -> Flow = { _ in .proceed }
    ) {
        self.keepsBody = keepsBody
        self.onHead = onHead
        self.onBytes = onBytes
    }

    /// The head, nil if none came.
    var head: ResponseHead? { state.withLock { $0.heads.first } }
    /// How many heads came.
    var headCount: Int { state.withLock { $0.heads.count } }
    /// Every byte so far.
    var body: [UInt8] { state.withLock { $0.body } }
    /// The body as a text.
    var text: String { String(decoding: body, as: UTF8.self) }
    /// How often `connected()` was called.
    var connections: Int { state.withLock { $0.connections } }
    /// How many calls came, of any kind.
    var calls: Int { state.withLock { $0.calls } }

    func connected() {
        state.withLock {
            $0.connections += 1
            $0.calls += 1
        }
        isConnected.fire()
    }

    func receive(_ head: ResponseHead) -> Flow {
        state.withLock {
            $0.heads.append(head)
            $0.calls += 1
        }
        defer { hasHead.fire() }
        return onHead(head)
    }

    func receive(_ bytes: RawSpan) -> Flow {
        let total = state.withLock { state in
            if keepsBody { bytes.withUnsafeBytes { state.body.append(contentsOf: $0) } }
            state.calls += 1
            state.total += bytes.byteCount
            return state.total
        }
        defer { hasBytes.fire() }
        return onBytes(total)
    }
}
