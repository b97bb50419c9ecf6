package import HaulCore
import HaulCurl
package import HaulOrigin

/// A transport without sockets: it plays the scripts that the embedded origin's responder computes.
///
/// What is on the wire is the same, byte for byte, as what `OriginServer` sends, and is read by a decoder that does as
/// libcurl does. Waits and rates take their time from a `TimeSource`, so that minutes pass in milliseconds.
package final class ScriptedTransport: Transport {
    private struct State: Sendable {
        var hosts: [String: ScriptedHost]
        var connections: [Slot: ScriptedConnection] = [:]
        var latches: [Slot: Latch] = [:]
        var running: [Slot: Task<Result<TransferSummary, TransportError>, Never>] = [:]
        var cookies: [String: [(name: String, value: String)]] = [:]
        var attempts = 0
    }

    /// Where waits and rates take their time from.
    package let time: TimeSource

    private let state: OriginLock<State>
    private let piece: Int
    private let onStall: @Sendable (Slot) -> Void
    private let connecting: @Sendable (_ url: ResourceURL, _ attempt: Int) -> TransportError?

    /// Real sleeps are late by much of a fast time: that much of it is made good.
    static let burst = Duration.seconds(1)

    /// Name of the host that stands for every name that is not configured.
    private static let anyHost = "*"

    /// Makes a transport to one origin, which answers at every host name.
    ///
    /// - Parameters:
    ///   - configuration: what the origin serves; its `speed` and `port` don't matter here.
    ///   - time: where waits and rates take their time from.
    ///   - piece: largest number of bytes handed over at once; libcurl's is 16 KiB.
    ///   - onStall: told when the origin has fallen silent for good.
    ///   - connecting: told of each new connection's address and number, makes it fail with what it returns.
    package convenience init(
        _ configuration: OriginConfiguration, time: TimeSource = .continuous(speed: 1000), piece: Int = 16_384,
        onStall: @escaping @Sendable (Slot) -> Void = { _ in },
        connecting: @escaping @Sendable (_ url: ResourceURL, _ attempt: Int) -> TransportError? = { _, _ in nil }
    ) {
        self.init(
            hosts: [Self.anyHost: configuration], time: time, piece: piece, onStall: onStall, connecting: connecting)
    }

    /// Makes a transport to one origin without limits, which answers at every host name.
    package convenience init(_ resources: OriginResource..., time: TimeSource = .continuous(speed: 1000)) {
        self.init(OriginConfiguration(resources), time: time)
    }

    /// Makes a transport to several hosts.
    ///
    /// - Parameters:
    ///   - hosts: what each host serves, by its name in lower case; other names have no address.
    ///   - time: where waits and rates take their time from.
    ///   - piece: largest number of bytes handed over at once.
    ///   - onStall: told when the origin has fallen silent for good.
    ///   - connecting: told of each new connection's address and number, makes it fail with what it returns.
    package init(
        hosts: [String: OriginConfiguration], time: TimeSource = .continuous(speed: 1000), piece: Int = 16_384,
        onStall: @escaping @Sendable (Slot) -> Void = { _ in },
        connecting: @escaping @Sendable (_ url: ResourceURL, _ attempt: Int) -> TransportError? = { _, _ in nil }
    ) {
        state = OriginLock(State(hosts: hosts.mapValues { ScriptedHost($0) }))
        self.time = time
        self.piece = piece
        self.onStall = onStall
        self.connecting = connecting
    }

    /// Every request so far, host after host.
    package var requests: [OriginRecord] {
        state.withLock { state in
            state.hosts.keys.sorted().flatMap { state.hosts[$0]?.responder.records ?? [] }
        }
    }

    /// Every request to one host so far.
    ///
    /// - Parameter host: the host's name.
    /// - Returns: the host's log.
    package func requests(to host: String) -> [OriginRecord] { withResponder(of: host) { $0.records } ?? [] }

    /// Whether a slot has a connection that can carry another request.
    package func isConnected(_ slot: Slot) -> Bool { state.withLock { $0.connections[slot] != nil } }

    /// Reads or changes what a host decides by: its counters, its configuration.
    ///
    /// - Parameters:
    ///   - host: the host's name; any name if the transport has but one origin.
    ///   - body: is given the responder, under a lock.
    /// - Returns: what `body` returns, nil if there is no such host.
    package func withResponder<Result: Sendable>(
        of host: String = "*", _ body: (inout OriginResponder) -> Result
    ) -> Result? {
        state.withLock { state in
            let key = state.hosts[host] == nil ? Self.anyHost : host
            guard var entry = state.hosts.removeValue(forKey: key) else { return nil }
            defer { state.hosts[key] = entry }
            return body(&entry.responder)
        }
    }

    /// Puts a resource in the place of the one with the same path, or adds it; what is known of it stays.
    package func replace(_ resource: OriginResource, at host: String = "*") {
        _ = withResponder(of: host) { $0.replace(resource) }
    }

    package func parse(_ text: String, relativeTo base: ResourceURL?) throws(InvalidURL) -> ResourceURL {
        try CurlURLParser.parse(text, relativeTo: base)
    }

    package func resume(_ slot: Slot) {
        state.withLock { $0.latches[slot] }?.open()
    }

    package func send(
        _ request: TransferRequest, on slot: Slot, to receiver: some ResponseReceiver
    ) async throws(TransportError) -> TransferSummary {
        let task = Task { () async -> Result<TransferSummary, TransportError> in
            do throws(TransportError) {
                return .success(try await self.play(request, on: slot, to: receiver))
            } catch {
                return .failure(error)
            }
        }
        state.withLock { $0.running[slot] = task }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { $0.running[slot] = nil }
        return try result.get()
    }

    package func cancel(_ slot: Slot) {
        state.withLock { $0.running[slot] }?.cancel()
    }
}

// MARK: - One transfer

extension ScriptedTransport {
    @concurrent
    private func play(
        _ request: TransferRequest, on slot: Slot, to receiver: some ResponseReceiver
    ) async throws(TransportError) -> TransferSummary {
        if Task.isCancelled { throw .cancelled }
        let latch = Latch()
        state.withLock { $0.latches[slot] = latch }
        defer { state.withLock { $0.latches[slot] = nil } }
        let host = request.url.host
        let connection = try connect(request, on: slot)
        var transfer = ScriptedTransfer(
            transport: self, host: host, connection: connection, latch: latch, onStall: { [onStall] in onStall(slot) },
            summary: TransferSummary(
                bytesReceived: 0, reusedConnection: connection.isUsed, remoteAddress: "192.0.2.1"))
        receiver.connected()
        do throws(TransportError) {
            if !connection.isUsed { try await transfer.wait(delay(of: host)) }
            let message = message(for: request)
            guard
                let exchange = withResponder(
                    of: host,
                    { [now = moment()] responder in
                        responder.respond(to: message, on: connection.number, at: now)
                    })
            else { throw TransportError.nameNotResolved(host: host) }
            defer { transfer.finish(exchange) }
            let isReusable = try await transfer.run(exchange, to: receiver, piece: piece)
            keepCookies(transfer.head, of: host)
            isReusable ? keep(transfer, on: slot) : drop(slot)
            return transfer.summary
        } catch {
            drop(slot)
            throw error
        }
    }

    /// Now, as the origin sees it.
    func moment() -> OriginMoment {
        let elapsed = time.now()
        return OriginMoment(elapsed: elapsed, calendar: 1_800_000_000 + elapsed.components.seconds)
    }

    /// How long to wait so that a host keeps to its whole rate.
    func takeFromTotal(_ count: Int, of host: String, at now: Duration) -> Duration {
        state.withLock { state in
            let key = state.hosts[host] == nil ? Self.anyHost : host
            return state.hosts[key]?.totalPace?.take(count, at: now) ?? .zero
        }
    }

    private func delay(of host: String) -> Duration {
        withResponder(of: host) { $0.configuration.acceptDelay } ?? .zero
    }

    private func connect(
        _ request: TransferRequest, on slot: Slot
    ) throws(TransportError) -> ScriptedConnection {
        let url = request.url
        let idle = state.withLock { $0.connections[slot] }
        if let idle, idle.origin == url.origin, !request.needsFreshConnection { return idle }
        drop(slot)
        let attempt = state.withLock { state in
            state.attempts += 1
            return state.attempts
        }
        if let error = connecting(url, attempt) { throw error }
        let opened = withResponder(of: url.host) { [now = moment()] responder in
            let (number, refusal) = responder.connect(at: now)
            return (number, refusal, responder.configuration.connectionRate)
        }
        guard let (number, refusal, rate) = opened else { throw .nameNotResolved(host: url.host) }
        guard refusal == nil else { throw .brokenBeforeHead(detail: "refused") }
        let connection = ScriptedConnection(
            number: number, origin: url.origin, pace: rate.map { OriginPace(rate: $0, burst: ScriptedTransport.burst) })
        state.withLock { $0.connections[slot] = connection }
        return connection
    }

    private func keep(_ transfer: ScriptedTransfer, on slot: Slot) {
        var connection = transfer.connection
        connection.isUsed = true
        state.withLock { [connection] in $0.connections[slot] = connection }
    }

    private func drop(_ slot: Slot) {
        guard let connection = state.withLock({ $0.connections.removeValue(forKey: slot) }) else { return }
        _ = withResponder(of: connection.origin.host) { $0.disconnect(connection.number) }
    }

    private func message(for request: TransferRequest) -> OriginRequest {
        let url = request.url
        let isUsual = url.port == (url.isSecure ? 443 : 80)
        var fields = [OriginField("Host", isUsual ? url.host : "\(url.host):\(url.port)")]
        if let credentials = request.credentials {
            let text = Base64.encode("\(credentials.name):\(credentials.password)".utf8)
            fields.append(OriginField("Authorization", "Basic \(text)"))
        }
        if let agent = request.connection.userAgent { fields.append(OriginField("User-Agent", agent)) }
        fields += request.fields.lines.map { OriginField($0.name, $0.value) }
        let cookies = state.withLock { $0.cookies[url.host] ?? [] }
        if !cookies.isEmpty {
            let text = cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
            fields.append(OriginField("Cookie", text))
        }
        return OriginRequest(target: url.path + (url.query.map { "?" + $0 } ?? ""), fields: fields)
    }

    private func keepCookies(_ head: ResponseHead?, of host: String) {
        for line in head?.fields.all("Set-Cookie") ?? [] {
            let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            state.withLock { state in
                state.cookies[host, default: []].removeAll { $0.name == pair[0] }
                state.cookies[host, default: []].append((name: String(pair[0]), value: String(pair[1])))
            }
        }
    }
}
