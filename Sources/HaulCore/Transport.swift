/// The network, as far as the engine sees it: curl in the program, a script in tests.
package protocol Transport: Sendable {
    /// Sends one request and streams its response to `receiver`, on the transport's own thread.
    ///
    /// Redirects are not followed. Cancelling the calling task ends the transfer promptly in every phase, name look-up
    /// included, and throws `TransportError.cancelled`. After `send` returned or threw, `receiver` is not called again.
    ///
    /// - Parameters:
    ///   - request: what to send, complete with every field.
    ///   - slot: the worker; it carries one transfer at a time, and keeps its thread and its connection.
    ///   - receiver: gets the head once and then the body.
    /// - Returns: what happened, also when the receiver stopped the body early: that is not an error, and neither is
    ///   any status.
    /// - Throws: what went wrong on the way.
    func send(
        _ request: TransferRequest, on slot: Slot, to receiver: some ResponseReceiver
    ) async throws(TransportError) -> TransferSummary

    /// Runs tasks where responses come in, so that sending, and taking in what came, is no way to another thread.
    ///
    /// What runs there must not block for longer than a disk write.
    ///
    /// - Parameter isSecure: whether the addresses that they ask are https.
    /// - Returns: nil if there is no such place, or nothing to win.
    func executor(isSecure: Bool) -> (any ArrivalExecutor)?

    /// Lets a response go on that its receiver paused; no-op when `slot` has none.
    func resume(_ slot: Slot)

    /// Ends what `slot` carries: its `send` throws `TransportError.cancelled`. No-op when it carries nothing.
    func cancel(_ slot: Slot)

    /// Takes an address apart.
    ///
    /// - Parameters:
    ///   - text: an absolute address, or a reference if `base` is given (RFC 3986 §5).
    ///   - base: the address of the response that held the reference.
    /// - Returns: the address in its parts.
    /// - Throws: when it is not http or https, or malformed; control characters and spaces are malformed.
    func parse(_ text: String, relativeTo base: ResourceURL?) throws(InvalidURL) -> ResourceURL
}

extension Transport {
    package func executor(isSecure: Bool) -> (any ArrivalExecutor)? { nil }
}

/// Runs tasks on a thread where responses come in.
package protocol ArrivalExecutor: TaskExecutor {
    /// Calls something once, on that thread: when it has nothing else to do, or soon if there is always something.
    ///
    /// Telling another thread of each of many small things costs more than the things; told of them like this, it is told
    /// of several at once.
    ///
    /// - Parameter body: what to call; must not block.
    func whenIdle(_ body: @escaping @Sendable () -> Void)
}

/// Takes one response.
///
/// All calls come on one thread, in order, and must not block for longer than a disk write.
package protocol ResponseReceiver: AnyObject, Sendable {
    /// A connection stands and the request goes out now: idle clocks start here.
    func connected()

    /// The final head, once, before any byte of the body; also for a response without a body.
    ///
    /// `.pause` holds the body back until `Transport.resume`.
    func receive(_ head: ResponseHead) -> Flow

    /// The next bytes of the body, which cannot outlive the call. `.pause` takes these and holds back the rest.
    func receive(_ bytes: RawSpan) -> Flow
}

/// What a receiver wants next.
package enum Flow: Sendable {
    /// Go on.
    case proceed
    /// Hold the body until `Transport.resume`.
    case pause
    /// End the response here; `send` returns, the connection is closed unless the body was complete.
    case stop
}

/// A worker's place: one transfer at a time, one connection, one thread of the transport.
package struct Slot: Hashable, Sendable {
    /// Number of the slot, unique among the running downloads of one transport.
    package let number: Int

    /// Makes a slot.
    package init(_ number: Int) { self.number = number }
}

/// One GET (or HEAD) to be sent.
package struct TransferRequest: Sendable {
    /// Where to.
    package var url: ResourceURL
    /// Every field to send besides `Host`; nothing is added but what `credentials` and cookies make.
    package var fields: HTTPFields
    /// Name and password, already judged to belong to this address's origin.
    package var credentials: BasicCredentials?
    /// Whether an idle connection may carry it, or a new one must.
    package var needsFreshConnection: Bool
    /// Most bytes a second for this transfer, nil for no limit.
    package var maximumRate: Int64?
    /// Trust, time-outs and route, in common with other requests.
    package var profile: ConnectionProfile

    /// Trust, time-outs and route.
    package var connection: ConnectionOptions {
        get { profile.options }
        set { profile = ConnectionProfile(newValue) }
    }

    /// Makes a request.
    package init(
        url: ResourceURL, fields: HTTPFields = HTTPFields(), credentials: BasicCredentials? = nil,
        needsFreshConnection: Bool = false, maximumRate: Int64? = nil, profile: ConnectionProfile = .usual
    ) {
        self.url = url
        self.fields = fields
        self.credentials = credentials
        self.needsFreshConnection = needsFreshConnection
        self.maximumRate = maximumRate
        self.profile = profile
    }
}

/// What a transfer came to.
package struct TransferSummary: Hashable, Sendable {
    /// Bytes of body handed over, after transfer coding and before anything else.
    package var bytesReceived: Int64
    /// Whether the receiver ended it.
    package var stoppedByReceiver: Bool
    /// Whether the request went over a connection that an earlier one had opened.
    package var reusedConnection: Bool
    /// The peer's address, nil if unknown.
    package var remoteAddress: String?
    /// The protocol as spoken, such as `HTTP/1.1`; nil if unknown.
    package var protocolName: String?

    /// Makes a summary.
    package init(
        bytesReceived: Int64, stoppedByReceiver: Bool = false, reusedConnection: Bool = false,
        remoteAddress: String? = nil, protocolName: String? = nil
    ) {
        self.bytesReceived = bytesReceived
        self.stoppedByReceiver = stoppedByReceiver
        self.reusedConnection = reusedConnection
        self.remoteAddress = remoteAddress
        self.protocolName = protocolName
    }
}
