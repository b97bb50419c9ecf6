#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What an origin's threads share.
final class OriginServerCore: Sendable {
    private struct State: Sendable {
        var responder: OriginResponder
        var sockets: [Int: Int32] = [:]
        var threads: [Int: OriginThread] = [:]
        var ended: [OriginThread] = []
        var accepting: OriginThread?
        var isStopping = false
    }

    /// The configuration that can't change while it runs.
    let configuration: OriginConfiguration

    private let state: OriginLock<State>
    private let totalPace: OriginLock<OriginPace?>
    private let listener: Int32
    private let wakeReader: Int32
    private let wakeWriter: Int32
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private let calendarStart: Int64

    /// Takes over a listening socket.
    init(_ configuration: OriginConfiguration, listener: Int32) throws(OriginError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw OriginError(call: "pipe", code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (wakeReader, wakeWriter) = (ends[0], ends[1])
        self.configuration = configuration
        self.listener = listener
        state = OriginLock(State(responder: OriginResponder(configuration)))
        totalPace = OriginLock(
            configuration.totalRate.map { OriginPace(rate: $0, burst: .milliseconds(50) * configuration.speed) })
        start = clock.now
        calendarStart = Int64(time(nil))
    }

    /// Now, in the origin's own time.
    func moment() -> OriginMoment {
        let elapsed = (clock.now - start) * configuration.speed
        return OriginMoment(elapsed: elapsed, calendar: calendarStart + elapsed.components.seconds)
    }

    /// Reads or changes the responder.
    func withResponder<Result>(_ body: (inout OriginResponder) -> Result) -> Result {
        state.withLock { body(&$0.responder) }
    }

    /// How long to wait so that the whole origin keeps to its rate.
    func takeFromTotal(_ count: Int, at now: Duration) -> Duration {
        totalPace.withLock { $0?.take(count, at: now) ?? .zero }
    }

    /// A good number of bytes to send in one piece so that the whole origin keeps to its rate, nil for any.
    var totalPiece: Int? { totalPace.withLock { $0?.piece } }

    /// Changes the rate of the whole origin.
    func setTotalRate(_ rate: Int64?) {
        let speed = configuration.speed
        totalPace.withLock { $0 = rate.map { OriginPace(rate: $0, burst: .milliseconds(50) * speed) } }
    }

    /// Starts to accept connections.
    func launch() throws(OriginError) {
        let thread = try OriginThread { [self] in acceptAll() }
        state.withLock { $0.accepting = thread }
    }

    /// Stops everything and waits for it; does nothing the second time.
    func stop() {
        let accepting = state.withLock { state -> OriginThread?? in
            guard !state.isStopping else { return nil }
            state.isStopping = true
            return .some(state.accepting)
        }
        guard let accepting else { return }
        var byte: UInt8 = 0
        _ = write(wakeWriter, &byte, 1)
        accepting?.join()
        dropConnections()
        let threads = state.withLock { state in
            defer { (state.threads, state.ended) = ([:], []) }
            return state.ended + state.threads.values
        }
        for thread in threads { thread.join() }
        for descriptor in [listener, wakeReader, wakeWriter] { close(descriptor) }
    }

    /// Shuts down every open connection.
    func dropConnections() {
        state.withLock { state in
            for descriptor in state.sockets.values { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    private func acceptAll() {
        while true {
            var events = [
                pollfd(fd: listener, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&events, 2, -1)
            guard events[1].revents == 0 else { return }
            guard events[0].revents != 0 else { continue }
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { continue }
            OriginPlatform.prepare(descriptor)
            welcome(descriptor)
            let ended = state.withLock { state in
                defer { state.ended = [] }
                return state.ended
            }
            for thread in ended { thread.join() }
        }
    }

    private func welcome(_ descriptor: Int32) {
        let isRefused = state.withLock { state -> Bool in
            // Clients that left count no more, even if their threads have not noticed yet.
            if configuration.connectionLimit != nil {
                for (number, socket) in state.sockets where OriginConnection.isDeserted(socket) {
                    state.responder.disconnect(number)
                }
            }
            let (number, refusal) = state.responder.connect(at: moment())
            if let refusal {
                if refusal == .reset { OriginPlatform.armReset(descriptor) }
                return true
            }
            let thread = try? OriginThread { [self] in
                let connection = OriginConnection(descriptor, number: number, core: self)
                connection.run()
                leave(number)
            }
            guard let thread else {
                state.responder.disconnect(number)
                return true
            }
            state.sockets[number] = descriptor
            state.threads[number] = thread
            return false
        }
        if isRefused { close(descriptor) }
    }

    /// Closes a connection whose thread is about to end.
    private func leave(_ number: Int) {
        state.withLock { state in
            state.responder.disconnect(number)
            if let descriptor = state.sockets.removeValue(forKey: number) { close(descriptor) }
            if let thread = state.threads.removeValue(forKey: number) { state.ended.append(thread) }
        }
    }
}
