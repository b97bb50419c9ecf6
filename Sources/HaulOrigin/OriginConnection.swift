#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// One connection of an origin, on its thread.
final class OriginConnection {
    /// How an answer left the connection.
    private enum Outcome {
        case open
        case over
    }

    private let descriptor: Int32
    private let number: Int
    private let core: OriginServerCore
    private let speed: Double
    private let burst: Duration
    private var pace: OriginPace?
    private var received: [UInt8] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 4096)

    /// Serves an accepted socket, which stays the caller's to close.
    init(_ descriptor: Int32, number: Int, core: OriginServerCore) {
        self.descriptor = descriptor
        self.number = number
        self.core = core
        speed = core.configuration.speed
        burst = .milliseconds(50) * speed
        pace = core.configuration.connectionRate.map { [burst] in OriginPace(rate: $0, burst: burst) }
    }

    deinit { buffer.deallocate() }

    /// Whether the client has closed its side.
    static func isDeserted(_ descriptor: Int32) -> Bool {
        var event = pollfd(fd: descriptor, events: OriginPlatform.peerClosed, revents: 0)
        return poll(&event, 1, 0) > 0
    }

    /// Reads requests and answers them until one side has enough.
    func run() {
        guard wait(core.configuration.acceptDelay) else { return }
        while let head = readHead() {
            guard let request = OriginRequest(head: head) else {
                _ = send(Array("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8))
                return
            }
            let exchange = core.withResponder {
                $0.respond(to: request, on: number, at: core.moment())
            }
            let outcome = play(exchange)
            finish(exchange)
            if outcome == .over { return }
        }
    }

    private func finish(_ exchange: OriginExchange) {
        core.withResponder { $0.finish(exchange, at: core.moment()) }
    }

    private func play(_ exchange: OriginExchange) -> Outcome {
        var player = OriginPlayer(exchange.script)
        var answerPace = player.rate.map { OriginPace(rate: $0, burst: burst) }
        let piece = [pace?.piece, answerPace?.piece, core.totalPiece].compactMap { $0 }.min() ?? buffer.count
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<piece])
        while true {
            switch player.next(into: part) {
            case .send(let count, let body):
                let now = core.moment().elapsed
                let delay = max(
                    pace?.take(count, at: now) ?? .zero, answerPace?.take(count, at: now) ?? .zero,
                    core.takeFromTotal(count, at: now))
                guard wait(delay) else { return .over }
                if body > 0, core.withResponder({ $0.isSilent }) {
                    waitForClient()
                    return .over
                }
                // Counted first: whoever has read the last byte finds a log that is complete.
                if body > 0 { core.withResponder { $0.sent(body, in: exchange) } }
                if player.isAtEnd { finish(exchange) }
                guard send(UnsafeRawBufferPointer(rebasing: part[..<count])) else { return .over }
            case .pause(let duration):
                guard wait(duration) else { return .over }
            case .stall:
                waitForClient()
                return .over
            case .reset:
                waitForDelivery()
                OriginPlatform.armReset(descriptor)
                return .over
            case .close:
                return .over
            case .finished(let keepsConnection):
                return keepsConnection ? .open : .over
            }
        }
    }

    /// Everything up to the next empty line, nil when the client left or talks too long.
    private func readHead() -> [UInt8]? {
        var searched = 0
        while true {
            if let end = endOfHead(from: max(0, searched - 3)) {
                let head = Array(received[..<end])
                received.removeFirst(end)
                return head
            }
            searched = received.count
            guard searched < 65_536 else { return nil }
            let count = withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { part -> Int in
                var count = recv(descriptor, part.baseAddress, part.count, 0)
                while count < 0, errno == EINTR { count = recv(descriptor, part.baseAddress, part.count, 0) }
                if count > 0 { received.append(contentsOf: part[..<count]) }
                return count
            }
            guard count > 0 else { return nil }
        }
    }

    private func endOfHead(from start: Int) -> Int? {
        guard received.count >= 4 else { return nil }
        var index = start
        while index + 4 <= received.count {
            if received[index] == 13, received[index + 1] == 10, received[index + 2] == 13, received[index + 3] == 10 {
                return index + 4
            }
            index += 1
        }
        return nil
    }

    private func send(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { send($0) } }

    private func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard var place = bytes.baseAddress else { return true }
        var left = bytes.count
        while left > 0 {
            #if canImport(Darwin)
                let count = Darwin.send(descriptor, place, left, OriginPlatform.sendFlags)
            #elseif canImport(Musl)
                let count = Musl.send(descriptor, place, left, OriginPlatform.sendFlags)
            #else
                let count = Glibc.send(descriptor, place, left, OriginPlatform.sendFlags)
            #endif
            if count < 0 {
                guard errno == EINTR else { return false }
                continue
            }
            place += count
            left -= count
        }
        return true
    }

    /// Waits in the origin's time; false as soon as the client has left or the origin stops.
    private func wait(_ duration: Duration) -> Bool {
        guard duration > .zero else { return true }
        let (seconds, attoseconds) = (duration / speed).components
        let milliseconds = seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return !waitForEnd(Int32(clamping: milliseconds))
    }

    private func waitForClient() {
        while !waitForEnd(-1) {}
    }

    private func waitForEnd(_ milliseconds: Int32) -> Bool {
        var event = pollfd(fd: descriptor, events: OriginPlatform.peerClosed, revents: 0)
        return poll(&event, 1, milliseconds) > 0
    }

    /// Waits, two seconds at most, until the peer has everything: a reset would destroy what is still on its way.
    private func waitForDelivery() {
        for _ in 0..<2000 where OriginPlatform.unacknowledged(descriptor) > 0 {
            if waitForEnd(1) { return }
        }
    }
}
