import CCurl
import HaulCore

/// One request under way: its handle, its head so far, and whom to tell at the end.
///
/// Lives in the actor of one loop and is used on its thread only. Subclassed once, by `ReceivingTransfer`, so that the
/// receiver's type is erased once a transfer and not once a chunk.
@safe class Transfer {
    /// Answers the task that waits for this transfer.
    typealias Continuation = CheckedContinuation<Result<TransferSummary, TransportError>, Never>

    /// What the end of libcurl's work means.
    enum Conclusion {
        /// Tell the waiting task.
        case finished(Result<TransferSummary, TransportError>)
        /// Wait for `resume`: the receiver asked for a pause and the body is complete.
        case held
        /// Send it again over a new connection: an idle one had bytes in it that nobody asked for.
        case again
    }

    let id: TransferID
    let slot: Slot
    let request: TransferRequest
    let handle: PreparedHandle
    private let sockets: SocketRegister
    let continuation: Continuation
    private var heads = HeadCollector()
    private var headIsDelivered = false
    private var bytesReceived: Int64 = 0
    private var isPaused = false
    private var curlIsPaused = false
    private var isHeld = false
    private var pacer: RatePacer?
    private let shared: SharedPacer
    /// Bytes whose turn has been reserved and waited for.
    private var reservedBytes = 0
    /// When a transfer that its rate holds back may go on.
    private(set) var wakeTime: ContinuousClock.Instant?
    private var isStopped = false
    private var foundLeftovers = false
    /// Whether the server wants the Digest scheme (RFC 7616), and was not told name and password in it yet.
    private var wantsDigest = false
    /// Whether the TLS connection was seen to end, as far as it did, without a word.
    private var endIsUnsaid = false
    private var failure: TransportError?

    /// Makes a transfer that has not been started.
    init(
        id: TransferID, slot: Slot, request: TransferRequest, handle: PreparedHandle, sockets: SocketRegister,
        pacer shared: SharedPacer, continuation: Continuation
    ) {
        self.sockets = sockets
        self.shared = shared
        self.id = id
        self.slot = slot
        self.request = request
        self.continuation = continuation
        pacer = request.maximumRate.map { RatePacer(rate: $0, now: .now) }
        self.handle = handle
        heads = HeadCollector(mayAnswerChallenge: handle.usesDigest)
        handle.transfer = self
    }

    // MARK: - For the subclass

    /// Tells the receiver that the request goes out.
    func reportConnected() {}

    /// Hands the head over.
    func deliver(_ head: ResponseHead) -> Flow { .stop }

    /// Hands bytes over.
    func deliver(_ bytes: RawSpan) -> Flow { .stop }

    // MARK: - For the loop

    /// Gets ready to be sent once more over a new connection.
    func prepareAgain() throws(TransportError) {
        if wantsDigest { try handle.useDigest(for: request) }
        heads = HeadCollector(mayAnswerChallenge: handle.usesDigest)
        (foundLeftovers, wantsDigest) = (false, false)
        try handle.demandFreshConnection()
    }

    /// Lets a paused transfer go on.
    ///
    /// - Returns: what happened if that was the end of it, else nil.
    func resume() -> Conclusion? {
        guard isPaused else { return nil }
        isPaused = false
        if isHeld { return .finished(.success(summary)) }
        return unpause()
    }

    /// Lets a transfer go on that its rate has held back long enough.
    ///
    /// - Parameter now: the time.
    /// - Returns: what happened if that was the end of it, else nil.
    func wake(now: ContinuousClock.Instant) -> Conclusion? {
        guard let wakeTime, wakeTime <= now else { return nil }
        self.wakeTime = nil
        return unpause()
    }

    private func unpause() -> Conclusion? {
        guard curlIsPaused else { return nil }
        curlIsPaused = false
        let code = handle.easy.unpause()
        return code == CURLE_OK ? nil : conclude(code)
    }

    /// Judges the end of libcurl's work, and hands over a head that had no body behind it.
    func conclude(_ code: CURLcode) -> Conclusion {
        if foundLeftovers || wantsDigest { return .again }
        if let failure { return .finished(.failure(failure)) }
        if !isStopped, !headIsDelivered, noteChallenge() { return .again }
        if !isStopped, heads.isComplete, !headIsDelivered {
            deliverHead()
        }
        if isStopped { return .finished(.success(summary)) }
        guard code == CURLE_OK else {
            let error = TransportError(code, of: handle.easy, for: request, afterHead: heads.isComplete)
            return .finished(.failure(error))
        }
        guard headIsDelivered else {
            return .finished(.failure(.brokenBeforeHead(detail: "the connection closed inside the head")))
        }
        // libcurl takes the end of the connection for the end of the body, whoever caused it.
        let framesBodies = handle.easy.number(CURLINFO_HTTP_VERSION) >= CURL_HTTP_VERSION_2_0
        if endIsUnsaid, !framesBodies, heads.head.bodyEndsWithConnection {
            let detail = "the connection ended without saying so in TLS: the body may have been cut"
            return .finished(.failure(.brokenInBody(detail: detail)))
        }
        isHeld = isPaused
        return isHeld ? .held : .finished(.success(summary))
    }

    /// Whether the response brought cookies.
    var setsCookies: Bool { heads.isComplete && heads.head.fields["Set-Cookie"] != nil }

    private var summary: TransferSummary {
        TransferSummary(
            bytesReceived: bytesReceived, stoppedByReceiver: isStopped,
            reusedConnection: handle.easy.number(CURLINFO_NUM_CONNECTS) == 0,
            remoteAddress: handle.easy.text(CURLINFO_PRIMARY_IP), protocolName: protocolName)
    }

    private var protocolName: String? {
        switch handle.easy.number(CURLINFO_HTTP_VERSION) {
        case CURL_HTTP_VERSION_1_0: "HTTP/1.0"
        case CURL_HTTP_VERSION_1_1: "HTTP/1.1"
        case CURL_HTTP_VERSION_2_0: "HTTP/2"
        case CURL_HTTP_VERSION_3: "HTTP/3"
        default: nil
        }
    }

    // MARK: - From libcurl

    /// Looks whether the peer has said that the connection ends (`CURLOPT_XFERINFOFUNCTION`).
    func noteEnd() {
        endIsUnsaid = handle.easy.peerSaidEnd == false
    }

    /// The request is about to go out (`CURLOPT_PREREQFUNCTION`).
    func takeConnection(localPort: Int32, remotePort: Int32) -> Int32 {
        let isUsed = handle.easy.number(CURLINFO_NUM_CONNECTS) == 0
        if isUsed, sockets.hasInput(localPort: localPort, remotePort: remotePort) {
            foundLeftovers = true
            return CURL_PREREQFUNC_ABORT
        }
        reportConnected()
        return CURL_PREREQFUNC_OK
    }

    /// A line of a head or trailer (`CURLOPT_HEADERFUNCTION`).
    func takeLine(_ line: RawSpan) -> Int {
        do throws(TransportError) {
            try heads.take(line)
            return line.byteCount
        } catch {
            failure = error
            return 0
        }
    }

    /// Bytes of the body (`CURLOPT_WRITEFUNCTION`).
    ///
    /// libcurl cuts what it has read into calls of 16 KiB and does not look at a pause in between: so a pause is told
    /// with the call after the one whose bytes were taken.
    func takeBody(_ bytes: RawSpan) -> Int {
        if !isPaused, !isStopped, !headIsDelivered {
            guard heads.isComplete else {
                failure = .malformedResponse(detail: "a body without a head")
                return 0
            }
            if noteChallenge() { return 0 }
            deliverHead()
        }
        if isStopped { return 0 }
        if isPaused {
            curlIsPaused = true
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        if mustWait(for: bytes.byteCount) {
            curlIsPaused = true
            return Int(CURL_WRITEFUNC_PAUSE)
        }
        bytesReceived += Int64(bytes.byteCount)
        switch deliver(bytes) {
        case .proceed: break
        case .pause: isPaused = true
        case .stop:
            isStopped = true
            guard bodyIsComplete else { return 0 }
        }
        return bytes.byteCount
    }

    /// Reserves bytes at both rates, the request's own and the common one, and says whether their turn is later.
    private func mustWait(for count: Int) -> Bool {
        // libcurl may call before the time is up, because something else was unpaused.
        if wakeTime != nil { return true }
        guard pacer != nil || shared.isLimited else { return false }
        if count <= reservedBytes {
            reservedBytes -= count
            return false
        }
        let now = ContinuousClock.now
        let own = pacer?.reserve(count - reservedBytes, now: now)
        let common = shared.reserve(count - reservedBytes, now: now)
        wakeTime = [own, common].compactMap(\.self).max()
        reservedBytes = wakeTime == nil ? 0 : count
        return wakeTime != nil
    }

    /// Notes whether the head refuses what was sent as Basic, and asks for Digest alone.
    ///
    /// - Returns: whether it does.
    private func noteChallenge() -> Bool {
        guard heads.isComplete, !handle.usesDigest, request.credentials != nil || request.connection.netrc != .never
        else { return false }
        let head = heads.head
        guard head.status == 401 else { return false }
        let schemes = head.fields.all("WWW-Authenticate").map { $0.prefix { $0 != " " }.lowercased() }
        wantsDigest = schemes.contains("digest") && !schemes.contains("basic")
        return wantsDigest
    }

    private func deliverHead() {
        headIsDelivered = true
        switch deliver(heads.head) {
        case .proceed: break
        case .pause: isPaused = true
        case .stop: isStopped = true
        }
    }

    private var bodyIsComplete: Bool {
        handle.easy.largeNumber(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) == bytesReceived
    }
}
