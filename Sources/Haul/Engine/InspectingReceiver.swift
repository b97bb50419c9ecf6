import HaulCore
import Synchronization

/// Judges answers for a report: keeps heads and addresses, and of the body nothing.
final class InspectingReceiver: AnswerReceiver {
    /// What becomes of the body.
    enum Conduct: Sendable {
        /// It is read to its end if that is near, so that the connection can be used again.
        case drain
        /// It is held back, so that the connection stays busy.
        case hold
    }

    /// What was seen.
    struct Findings: Sendable {
        /// Addresses that were asked, in order.
        var addresses: [ResourceURL] = []
        /// The last answer's head.
        var head: ResponseHead?
        /// When it came.
        var time: Duration?
        /// What it carries, if it was taken.
        var answer: AcceptedAnswer?
        /// Why it was not taken.
        var refusal: AnswerRefusal?
        var expectation: AnswerExpectation
        var bytes: Int64 = 0
    }

    private static let drainLimit: Int64 = 256 << 10
    private let conduct: Conduct
    private let time: TimeSource
    private let wallClock: @Sendable () -> Int64
    private let signal: HeadSignal
    private let state: Mutex<Findings>

    init(
        _ conduct: Conduct, _ expectation: AnswerExpectation, time: TimeSource,
        wallClock: @escaping @Sendable () -> Int64, signal: HeadSignal = HeadSignal()
    ) {
        self.conduct = conduct
        self.time = time
        self.wallClock = wallClock
        self.signal = signal
        state = Mutex(Findings(expectation: expectation))
    }

    /// What was seen so far.
    var findings: Findings { state.withLock { $0 } }
    var refusal: AnswerRefusal? { state.withLock { $0.refusal } }

    func prepare(for expectation: AnswerExpectation, _ request: TransferRequest) {
        state.withLock { state in
            state.addresses.append(request.url)
            state.expectation = expectation
            state.refusal = nil
            state.bytes = 0
        }
    }

    func connected() {}

    func receive(_ head: ResponseHead) -> Flow {
        let isRedirect = state.withLock { state in
            state.head = head
            state.time = time.now()
            switch AnswerCheck.judge(head, against: state.expectation, at: wallClock()) {
            case .use(let answer), .refuse(.wholeBody(let answer)):
                state.answer = answer
            case .refuse(let refusal):
                state.refusal = refusal
                if case .redirect = refusal { return true }
            }
            return false
        }
        if isRedirect { return .proceed }
        signal.send()
        // Its length may be as wrong as its place.
        if case .misplaced = refusal { return .stop }
        return conduct == .hold ? .pause : .proceed
    }

    func receive(_ bytes: RawSpan) -> Flow {
        state.withLock { state in
            state.bytes += Int64(bytes.byteCount)
            return state.bytes > Self.drainLimit ? .stop : .proceed
        }
    }
}
