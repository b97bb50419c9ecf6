import HaulCore
import HaulOrigin

/// One response on its way through the in-memory transport.
struct ScriptedTransfer {
    /// The transport, for its time and its hosts.
    let transport: ScriptedTransport
    /// Name of the host that answers.
    let host: String
    /// The connection that carries it.
    var connection: ScriptedConnection
    /// What holds the body back.
    let latch: Latch
    /// Told when the origin falls silent for good.
    let onStall: @Sendable () -> Void
    /// What it came to so far.
    var summary: TransferSummary
    /// The final head, nil until it came.
    var head: ResponseHead?

    private enum Step {
        case goOn
        case over(isReusable: Bool)
    }

    /// Makes a transfer.
    init(
        transport: ScriptedTransport, host: String, connection: ScriptedConnection, latch: Latch,
        onStall: @escaping @Sendable () -> Void, summary: TransferSummary
    ) {
        self.transport = transport
        self.host = host
        self.connection = connection
        self.latch = latch
        self.onStall = onStall
        self.summary = summary
    }

    /// Tells the responder that the answer is over.
    func finish(_ exchange: OriginExchange) {
        _ = transport.withResponder(of: host) { [now = transport.moment()] in $0.finish(exchange, at: now) }
    }

    /// Plays an answer.
    ///
    /// - Returns: whether the connection can carry another request.
    mutating func run(
        _ exchange: OriginExchange, to receiver: some ResponseReceiver, piece: Int
    ) async throws(TransportError) -> Bool {
        var decoder = HTTPResponseDecoder()
        var players = [connection.leftovers, OriginPlayer(exchange.script)].compactMap { $0 }
        connection.leftovers = nil
        var buffer = [UInt8](repeating: 0, count: piece)
        var answerPace = players.last?.rate.map { OriginPace(rate: $0, burst: ScriptedTransport.burst) }
        while true {
            if Task.isCancelled { throw .cancelled }
            let limit = min(piece, connection.pace?.piece ?? piece, answerPace?.piece ?? piece)
            let action = buffer.withUnsafeMutableBytes { bytes in
                players[0].next(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<limit]))
            }
            switch action {
            case .send(let count, let body):
                let now = transport.time.now()
                let delay = max(
                    connection.pace?.take(count, at: now) ?? .zero, answerPace?.take(count, at: now) ?? .zero,
                    transport.takeFromTotal(count, of: host, at: now))
                try await wait(delay)
                if body > 0, transport.withResponder(of: host, { $0.isSilent }) ?? false { try await fallSilent() }
                if body > 0 { _ = transport.withResponder(of: host) { $0.sent(body, in: exchange) } }
                if players.count == 1, players[0].isAtEnd { finish(exchange) }
                if case .over(let isReusable) = try await read(buffer, count, &decoder, receiver) {
                    return isReusable && afterwards(&players[0])
                }
                await Task.yield()
            case .pause(let duration):
                try await wait(duration)
            case .stall:
                try await fallSilent()
            case .reset:
                throw decoder.hasHead
                    ? .brokenInBody(detail: "connection reset") : .brokenBeforeHead(detail: "connection reset")
            case .finished(true) where players.count > 1:
                players.removeFirst()
            case .close, .finished:
                if let error = decoder.errorAtEnd { throw error }
                return false
            }
        }
    }

    /// Waits for the client to leave.
    private func fallSilent() async throws(TransportError) {
        onStall()
        while !Task.isCancelled {
            latch.close()
            await latch.wait()
        }
        throw .cancelled
    }

    /// Waits in the transport's time.
    func wait(_ duration: Duration) async throws(TransportError) {
        if duration > .zero { await transport.time.sleep(duration) }
        if Task.isCancelled { throw .cancelled }
    }

    /// Hands over what a piece of the wire says.
    private mutating func read(
        _ buffer: [UInt8], _ count: Int, _ decoder: inout HTTPResponseDecoder, _ receiver: some ResponseReceiver
    ) async throws(TransportError) -> Step {
        var index = 0
        while true {
            let event = buffer.withUnsafeBytes { bytes in
                decoder.next(UnsafeRawBufferPointer(rebasing: bytes[..<count]), &index)
            }
            latch.close()
            let flow: Flow
            switch event {
            case .needsMore:
                return .goOn
            case .complete:
                return .over(isReusable: index == count && decoder.allowsReuse)
            case .failed(let error):
                throw error
            case .head(let head):
                self.head = head
                flow = receiver.receive(head)
            case .body(let range):
                summary.bytesReceived += Int64(range.count)
                flow = buffer.withUnsafeBytes { bytes in
                    receiver.receive(UnsafeRawBufferPointer(rebasing: bytes[range]).bytes)
                }
            }
            switch flow {
            case .proceed: break
            case .pause:
                await latch.wait()
                if Task.isCancelled { throw .cancelled }
            case .stop:
                summary.stoppedByReceiver = true
                return .over(isReusable: decoder.isComplete && index == count && decoder.allowsReuse)
            }
        }
    }

    /// Looks at what the origin does behind a complete response.
    ///
    /// - Returns: whether the connection stays.
    private mutating func afterwards(_ player: inout OriginPlayer) -> Bool {
        let action = withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { player.next(into: $0) }
        switch action {
        case .finished(let keepsConnection):
            return keepsConnection
        case .pause:
            connection.leftovers = player
            return true
        case .send, .stall, .reset, .close:
            return false
        }
    }
}
