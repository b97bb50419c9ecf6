import HaulCore
import HaulCurl
import HaulTestSupport
import Testing

/// Where a body ends over TLS: nobody on the way may decide that by cutting the connection.
@Suite("Ends over TLS", .inTurn, .timeLimit(.minutes(10)))
struct SecureEndTests {
    private static let body = pattern(100_000)

    /// How the end of a body is told.
    enum Framing: CaseIterable, Sendable {
        case length
        case chunked
        case connection

        /// The whole answer, without its last `missing` bytes of body.
        func answer(missing: Int) -> [UInt8] {
            let body = SecureEndTests.body
            let head = "HTTP/1.1 200 OK\r\nConnection: close\r\n"
            let sent = body.dropLast(missing)
            switch self {
            case .length: return Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + sent
            case .chunked:
                let size = String(body.count, radix: 16)
                let end = missing == 0 ? "\r\n0\r\n\r\n" : ""
                return Array("\(head)Transfer-Encoding: chunked\r\n\r\n\(size)\r\n".utf8) + sent + Array(end.utf8)
            case .connection: return Array("\(head)\r\n".utf8) + sent
            }
        }
    }

    private func fetch(
        _ answer: [UInt8], bytes: Int, endsProperly: Bool
    ) async throws -> (Result<TransferSummary, TransportError>, Recorder) {
        var fetched = try await fetchOnce(answer, bytes: bytes, endsProperly: endsProperly)
        for _ in 0..<20 {
            // Cut so quickly that the system said so, and not only TLS.
            guard case .failure(.brokenInBody(let detail)) = fetched.0, detail.contains("reset") else { break }
            fetched = try await fetchOnce(answer, bytes: bytes, endsProperly: endsProperly)
        }
        return fetched
    }

    private func fetchOnce(
        _ answer: [UInt8], bytes: Int, endsProperly: Bool
    ) async throws -> (Result<TransferSummary, TransportError>, Recorder) {
        let server = try await SecureAnswer(answer, endsProperly: endsProperly)
        let deadline = ContinuousClock().now + .seconds(60)
        while true {
            let recorder = Recorder(onBytes: { total in
                if total == bytes { server.cut() }
                return .proceed
            })
            let sent = try request(server.url) { $0.connection.trustFile = server.trustFile }
            let result = try await CurlTransport().outcome(sent, to: recorder)
            guard case .failure(.connectionRefused) = result, ContinuousClock().now < deadline else {
                return (result, recorder)
            }
            // It does not listen yet.
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test(arguments: Framing.allCases)
    func oneByteShortIsNoWholeBody(_ framing: Framing) async throws {
        let count = Self.body.count - 1
        let (result, recorder) = try await fetch(framing.answer(missing: 1), bytes: count, endsProperly: false)
        guard case .failure(.brokenInBody(let detail)) = result else {
            Issue.record("a cut body ended as \(result)")
            return
        }
        // On a busy machine the system may say it first each time.
        let isTold = detail.contains("have been cut") || detail.contains("reset")
        #expect(framing != .connection || isTold, "\(detail)")
        #expect(recorder.body.elementsEqual(Self.body.dropLast()))
    }

    @Test(arguments: Framing.allCases, [true, false])
    func whoSaysWhereItEndsNeedsNoMore(_ framing: Framing, endsProperly: Bool) async throws {
        guard framing != .connection || endsProperly else { return }
        let count = endsProperly ? -1 : Self.body.count
        let (result, recorder) = try await fetch(framing.answer(missing: 0), bytes: count, endsProperly: endsProperly)
        #expect(try result.get().bytesReceived == Int64(Self.body.count))
        #expect(recorder.body == Self.body)
    }
}
