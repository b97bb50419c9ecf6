import Glibc
import HaulCore
import HaulOrigin
import HaulTestSupport

/// One exchange as a client saw it, in a form that can be compared.
struct OriginOutcome: Hashable, Sendable, CustomStringConvertible {
    /// How it ended.
    enum End: Hashable, Sendable {
        case complete(isReusable: Bool)
        case broken(TransportError)
        case stalled
    }

    var status: Int?
    /// Field lines but those that name the present time.
    var fields: [HTTPField] = []
    var body: [UInt8] = []
    var end: End

    var description: String { "\(status ?? 0) \(fields.map { "\($0.name): \($0.value)" }) \(body.count) bytes \(end)" }

    static func comparable(_ fields: HTTPFields) -> [HTTPField] {
        fields.lines.filter { $0.name != "Date" && !($0.name == "Retry-After" && $0.value.hasSuffix("GMT")) }
    }

    /// An error without its wording, which a socket and a script may choose differently.
    static func kind(_ error: TransportError) -> TransportError {
        switch error {
        case .brokenBeforeHead: .brokenBeforeHead(detail: "")
        case .brokenInBody: .brokenInBody(detail: "")
        case .malformedResponse: .malformedResponse(detail: "")
        default: error
        }
    }
}

/// The smallest client there can be: one connection at a time, blocking.
final class OriginTestClient {
    private let port: UInt16
    private let quiet: Int
    private var descriptor: Int32 = -1
    private(set) var connections = 0

    /// Makes a client that takes silence of `quiet` milliseconds for a stall.
    init(port: UInt16, quiet: Int = 10_000) {
        self.port = port
        self.quiet = quiet
    }

    deinit { disconnect() }

    func disconnect() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Whether the connection stands.
    var isConnected: Bool { descriptor >= 0 }

    func connectIfNeeded() {
        guard descriptor < 0 else { return }
        connections += 1
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(result == 0, "connect failed: \(errno)")
        var timeout = timeval(tv_sec: quiet / 1000, tv_usec: quiet % 1000 * 1000)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends a GET and reads the answer.
    func get(_ target: String, _ fields: [OriginField] = [], keepsBody: Bool = true) -> OriginOutcome {
        connectIfNeeded()
        send("GET", target, fields)
        return receive(keepsBody: keepsBody)
    }

    /// Sends a request and leaves the answer where it is.
    func send(_ method: String, _ target: String, _ fields: [OriginField] = []) {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        var request = Array((text + "\r\n").utf8)
        _ = Glibc.send(descriptor, &request, request.count, Int32(MSG_NOSIGNAL))
    }

    /// Everything that comes until the end of the connection or silence.
    func receiveRaw() -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return all }
            all += buffer[..<count]
        }
    }

    /// Reads whatever comes next, and says how much it was.
    func receiveSome() -> Int {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        return recv(descriptor, &buffer, buffer.count, 0)
    }

    func receive(keepsBody: Bool = true) -> OriginOutcome {
        var outcome = OriginOutcome(end: .stalled)
        outcome.end = read(into: &outcome, keepsBody)
        if outcome.end != .complete(isReusable: true) { disconnect() }
        return outcome
    }

    private func read(into outcome: inout OriginOutcome, _ keepsBody: Bool) -> OriginOutcome.End {
        var decoder = HTTPResponseDecoder()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EAGAIN { return .stalled }
            guard count > 0 else {
                if count < 0 {
                    let error: TransportError =
                        decoder.hasHead ? .brokenInBody(detail: "") : .brokenBeforeHead(detail: "")
                    return .broken(error)
                }
                return decoder.errorAtEnd.map { .broken(OriginOutcome.kind($0)) } ?? .complete(isReusable: false)
            }
            var index = 0
            reading: while true {
                let event = buffer.withUnsafeBytes { bytes in
                    decoder.next(UnsafeRawBufferPointer(rebasing: bytes[..<count]), &index)
                }
                switch event {
                case .needsMore: break reading
                case .head(let head):
                    outcome.status = head.status
                    outcome.fields = OriginOutcome.comparable(head.fields)
                case .body(let range): if keepsBody { outcome.body += buffer[range] }
                case .complete: return .complete(isReusable: decoder.allowsReuse && index == count && isOpen())
                case .failed(let error): return .broken(OriginOutcome.kind(error))
                }
            }
        }
    }

    /// Whether the origin keeps the connection after a complete answer: nothing comes, not even an end.
    private func isOpen() -> Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&event, 1, 20) == 0
    }
}
