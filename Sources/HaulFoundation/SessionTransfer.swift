import Dispatch
import Foundation
import HaulCore
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request under way over a session: judges heads, hands bytes on, and answers the waiting task once.
///
/// The session's calls come one at a time, in order; `resume` and `cancel` come from anywhere. What the session brings
/// is handed on at once, on its thread, so that a slow receiver holds the sender back. What comes during a pause is kept
/// until `resume`, and handed on by another thread then: on Linux all sessions of the process share one thread, and one
/// that waited would hold them all.
final class SessionTransfer: Sendable {
    /// Answers the task that waits for this transfer.
    typealias Continuation = CheckedContinuation<Result<TransferSummary, TransportError>, Never>

    /// What the session brought, in order.
    private enum Piece: Sendable {
        case head(ResponseHead)
        case bytes(Data)
        case end(Result<Void, TransportError>)
    }

    private struct State: Sendable {
        var continuation: Continuation?
        var task: URLSessionDataTask?
        var head: ResponseHead?
        var interimHeads = 0
        var bytesReceived: Int64 = 0
        /// Pieces that wait for their turn, and the bytes in them.
        var pieces: [Piece] = []
        var bytesWaiting = 0
        /// Whether a thread hands pieces on.
        var isBusy = false
        /// Whether the receiver is being called.
        var isCalling = false
        var mayGoOn = false
        var isPaused = false
        /// Whether more came during a pause than is kept.
        var isCut = false
        /// How it ended; told to the waiting task when no call to the receiver is under way.
        var ending: Result<TransferSummary, TransportError>?
        var isConcluded = false
        var reusesConnection = false
        var pacer: RatePacer?
    }

    /// Most interim (1xx) heads before the final one, as over libcurl.
    private static let interimLimit = 32
    /// Most bytes kept during a pause; beyond, the connection is given up and a new request goes on from there.
    private static let keepLimit = 4 << 20
    /// Hands on what came during a pause.
    private static let queue = DispatchQueue(label: "haul.held", attributes: .concurrent)

    private let request: TransferRequest
    private let carrier: CarrierSession
    private let receiver: any ResponseReceiver
    private let pace: CommonPace
    private let state: Mutex<State>
    /// Signalled at the end, for a thread that waits for its turn.
    private let gate = DispatchSemaphore(value: 0)

    /// Makes a transfer that has not been started.
    init(
        _ request: TransferRequest, over carrier: CarrierSession, to receiver: any ResponseReceiver, pace: CommonPace
    ) {
        self.request = request
        self.carrier = carrier
        self.receiver = receiver
        self.pace = pace
        state = Mutex(State(pacer: request.maximumRate.map { RatePacer(rate: $0, now: .now) }))
    }

    // MARK: - For the transport

    /// Sends the request.
    func start(_ urlRequest: URLRequest, _ continuation: Continuation) {
        let early = state.withLock { state in
            guard state.ending == nil else { return state.ending }
            state.continuation = continuation
            return nil
        }
        if let early { return continuation.resume(returning: early) }
        // Not on the caller's thread: the session's may be busy, and making a task waits for it.
        Self.queue.async { self.begin(urlRequest) }
    }

    private func begin(_ urlRequest: URLRequest) {
        // Who was cancelled before it began has ended already.
        guard let task = carrier.task(for: urlRequest) else {
            return end(.failure(.brokenBeforeHead(detail: "the session has ended")))
        }
        let reusesConnection = carrier.use()
        let isWanted = state.withLock { state in
            guard state.ending == nil else { return false }
            state.task = task
            state.reusesConnection = reusesConnection
            state.isCalling = true
            return true
        }
        guard isWanted else { return }
        carrier.listener.transfer = self
        // URLSession does not tell when a connection stands: idle clocks start with the attempt.
        receiver.connected()
        let ending = state.withLock { state in
            state.isCalling = false
            return state.ending
        }
        if let ending { return answer(ending) }
        task.resume()
    }

    /// Whether the request came to its end in good order, so that the connection may carry another.
    var leavesConnectionIdle: Bool { state.withLock { $0.isConcluded } }

    /// Lets a paused response go on.
    func resume() {
        let (task, hasWork) = state.withLock { state -> (URLSessionDataTask?, Bool) in
            guard state.isPaused else {
                // The receiver asks for a pause at this moment, perhaps.
                state.mayGoOn = state.isCalling
                return (nil, false)
            }
            state.isPaused = false
            let hasWork = !state.isBusy && !state.pieces.isEmpty
            state.isBusy = state.isBusy || hasWork
            return (state.task, hasWork)
        }
        #if canImport(Darwin)
            task?.resume()
        #else
            _ = task
        #endif
        if hasWork { Self.queue.async { self.handOn() } }
    }

    /// Ends the request; no-op when it has ended.
    func cancel() { end(.failure(.cancelled)) }

    // MARK: - For the session

    /// Whether this transfer's request is `task`.
    func isCarried(by task: URLSessionTask) -> Bool { state.withLock { $0.task === task } }

    /// Takes a head, interim or final.
    func take(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else {
            return end(.failure(.malformedResponse(detail: "no HTTP response")))
        }
        let head = ResponseHead(response)
        guard head.status != 101 else {
            return end(.failure(.malformedResponse(detail: "101 without having been asked to switch protocols")))
        }
        if head.status < 200 {
            let count = state.withLock { state in
                state.interimHeads += 1
                return state.interimHeads
            }
            return count > Self.interimLimit ? end(.failure(.headTooLarge)) : ()
        }
        let isFirst = state.withLock { state in
            defer { state.head = state.head ?? head }
            return state.head == nil
        }
        if isFirst { take(.head(head)) }
    }

    /// Takes bytes of the body.
    func take(_ data: Data) { take(.bytes(data)) }

    /// Takes the end.
    func conclude(_ response: URLResponse?, _ error: (any Error)?) {
        if error == nil, state.withLock({ $0.head == nil }), let response {
            // A redirect without an address is told at the end only.
            take(response)
        }
        let hasHead = state.withLock { $0.head != nil }
        if let error {
            return take(.end(.failure(TransportError(error, for: request, afterHead: hasHead))))
        }
        take(.end(hasHead ? .success(()) : .failure(.brokenBeforeHead(detail: "it closed without an answer"))))
    }

    // MARK: - Handing on

    private func take(_ piece: Piece) {
        let mustHandOn = state.withLock { state in
            guard state.ending == nil, !state.isCut else { return false }
            state.pieces.append(piece)
            if case .bytes(let data) = piece { state.bytesWaiting += data.count }
            if state.bytesWaiting > Self.keepLimit {
                state.isCut = true
                let detail = "more came during a pause than is kept, and URLSession can't be held back"
                state.pieces.append(.end(.failure(.brokenInBody(detail: detail))))
            }
            guard !state.isBusy, !state.isPaused else { return false }
            state.isBusy = true
            return true
        }
        if state.withLock({ $0.isCut }) { carrier.end() }
        if mustHandOn { handOn() }
    }

    /// Hands pieces on until there are none, the receiver pauses, or the transfer has ended.
    private func handOn() {
        while let piece = nextPiece() {
            switch piece {
            case .head(let head):
                let flow = call(taking: 0) { $0.receive(head) }
                if flow != .stop, head.isCoded {
                    let detail = "the server codes the body, and URLSession hands it out decoded"
                    end(.failure(.transportFailure(detail: detail)))
                }
            case .bytes(let data):
                waitForTurn(of: data.count)
                call(taking: data.count) { receiver in data.withUnsafeBytes { receiver.receive($0.bytes) } }
            case .end(.failure(let error)): end(.failure(error))
            case .end(.success): conclude()
            }
        }
    }

    private func nextPiece() -> Piece? {
        state.withLock { state in
            guard state.ending == nil, !state.isPaused, !state.pieces.isEmpty else {
                state.isBusy = false
                return nil
            }
            let piece = state.pieces.removeFirst()
            if case .bytes(let data) = piece { state.bytesWaiting -= data.count }
            return piece
        }
    }

    private func conclude() {
        let (head, count) = state.withLock { ($0.head, $0.bytesReceived) }
        if let length = head?.announcedLength, count < length {
            return end(.failure(.brokenInBody(detail: "\(length - count) bytes of the body are missing")))
        }
        state.withLock { $0.isConcluded = $0.ending == nil }
        end(.success(summary(isStopped: false)))
    }

    /// Waits until the rates allow the next bytes, or the transfer has ended.
    private func waitForTurn(of count: Int) {
        let now = ContinuousClock.now
        let own = state.withLock { $0.pacer?.reserve(count, now: now) }
        guard let time = [own, pace.reserve(count, now: now)].compactMap(\.self).max() else { return }
        let nanoseconds = min((time - now) / .nanoseconds(1), 1e18)
        _ = gate.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
    }

    /// Calls the receiver and does what it wants next.
    @discardableResult private func call(taking count: Int, _ body: (any ResponseReceiver) -> Flow) -> Flow {
        let isWanted = state.withLock { state in
            guard state.ending == nil else { return false }
            state.isCalling = true
            state.mayGoOn = false
            return true
        }
        guard isWanted else { return .stop }
        let flow = body(receiver)
        let (ending, task) = state.withLock { state in
            state.isCalling = false
            state.bytesReceived += Int64(count)
            // Whoever held the response back may have let it go on before this could be noted.
            state.isPaused = flow == .pause && !state.mayGoOn && state.ending == nil
            return (state.ending, state.isPaused ? state.task : nil)
        }
        if let ending {
            answer(ending)
            return .stop
        }
        if flow == .stop { end(.success(summary(isStopped: true))) }
        #if canImport(Darwin)
            task?.suspend()
        #else
            // There, a task that is suspended begins anew when it goes on.
            _ = task
        #endif
        return flow
    }

    private func summary(isStopped: Bool) -> TransferSummary {
        state.withLock {
            TransferSummary(
                bytesReceived: $0.bytesReceived, stoppedByReceiver: isStopped, reusedConnection: $0.reusesConnection)
        }
    }

    /// Ends the transfer once, as the first caller says; a receiver's call under way comes to its end first.
    private func end(_ result: Result<TransferSummary, TransportError>) {
        let isNow: Bool? = state.withLock { state in
            guard state.ending == nil else { return nil }
            state.ending = result
            state.isPaused = false
            state.pieces = []
            return !state.isCalling
        }
        guard let isNow else { return }
        gate.signal()
        if isNow { answer(result) }
    }

    private func answer(_ result: Result<TransferSummary, TransportError>) {
        let continuation = state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: result)
    }
}
