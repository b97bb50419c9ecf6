import HaulCore
import Synchronization

/// Takes a small range into memory: samples, and the beginning of a file that may be finished already.
///
/// A range of any length is compared as it comes with what is on hand, and not kept.
final class BlockReceiver: AnswerReceiver {
    /// Reads a range of what is on hand; nil if it can't be read.
    typealias OnHand = @Sendable (ByteRange) -> [UInt8]?

    private struct State {
        var expectation: AnswerExpectation
        var answer: AcceptedAnswer?
        var refusal: AnswerRefusal?
        var bytes: [UInt8] = []
        /// Bytes of the wanted range that came.
        var taken: Int64 = 0
        var differs = false
        /// File offset of the next byte of the body.
        var position: Int64 = 0
    }

    private let wanted: ByteRange
    private let slice: ResourceSlice
    private let onHand: OnHand?
    private let wallClock: @Sendable () -> Int64
    private let state: Mutex<State>
    private let connectedFlag = Atomic<Bool>(false)
    private static let drainLimit: Int64 = 64 << 10

    init(
        wanted: ByteRange, of slice: ResourceSlice, expectation: AnswerExpectation, comparing onHand: OnHand? = nil,
        wallClock: @escaping @Sendable () -> Int64
    ) {
        self.wanted = wanted
        self.slice = slice
        self.onHand = onHand
        self.wallClock = wallClock
        state = Mutex(State(expectation: expectation))
    }

    var refusal: AnswerRefusal? { state.withLock { $0.refusal } }
    /// What the answer carries, once it was judged and taken.
    var answer: AcceptedAnswer? { state.withLock { $0.answer } }
    /// The bytes of the wanted range that came, from its beginning; none if they are only compared.
    var bytes: [UInt8] { state.withLock { $0.bytes } }
    /// How many bytes of the wanted range came, from its beginning.
    var taken: Int64 { state.withLock { $0.taken } }
    /// Whether some that came are not what is on hand.
    var differs: Bool { state.withLock { $0.differs } }
    /// Whether the connection stands.
    var isConnected: Bool { connectedFlag.load(ordering: .relaxed) }

    func prepare(for expectation: AnswerExpectation, _ request: TransferRequest) {
        state.withLock { $0 = State(expectation: expectation) }
        // Where a redirect leads, another connection is waited for.
        connectedFlag.store(false, ordering: .relaxed)
    }

    func connected() { connectedFlag.store(true, ordering: .relaxed) }

    func receive(_ head: ResponseHead) -> Flow {
        state.withLock { state in
            switch slice.inSlice(AnswerCheck.judge(head, against: state.expectation, at: wallClock())) {
            case .use(let answer), .refuse(.wholeBody(let answer)):
                state.answer = answer
                state.position = answer.start
                // A whole body is read only if what is wanted lies near its beginning.
                if answer.start + Self.drainLimit < wanted.lowerBound { return .stop }
            case .refuse(let refusal):
                state.refusal = refusal
                // Who contradicts itself about the body's place may be wrong about its length: it would be waited for.
                if case .misplaced = refusal { return .stop }
            }
            return .proceed
        }
    }

    func receive(_ bytes: RawSpan) -> Flow {
        state.withLock { state in
            guard state.refusal == nil else {
                state.position += Int64(bytes.byteCount)
                return state.position > Self.drainLimit ? .stop : .proceed
            }
            let here = ByteRange(state.position, state.position + Int64(bytes.byteCount)).clamped(to: wanted)
            if !here.isEmpty, here.lowerBound == wanted.lowerBound + state.taken {
                let first = Int(here.lowerBound - state.position)
                bytes.extracting(first..<first + Int(here.length)).withUnsafeBytes { new in
                    guard let onHand else { return state.bytes += new }
                    if onHand(here).map({ $0.elementsEqual(new) }) != true { state.differs = true }
                }
                state.taken += here.length
                if state.differs { return .stop }
            }
            state.position += Int64(bytes.byteCount)
            let isEnd = state.position == state.answer?.end
            return state.position >= wanted.upperBound && !isEnd ? .stop : .proceed
        }
    }
}
