import HaulCore
import HaulCurl
import HaulTestSupport
import Testing

@Suite("Responses", .inTurn, .timeLimit(.minutes(10)))
struct ResponseTests {
    /// Serves one response to one request and closes.
    private func receive(_ response: String) async throws -> (Result<TransferSummary, TransportError>, Recorder) {
        try await receive(Array(response.utf8))
    }

    private func receive(_ response: [UInt8]) async throws -> (Result<TransferSummary, TransportError>, Recorder) {
        let server = RawServer { connection in
            _ = connection.readRequest()
            connection.write(response)
        }
        let recorder = Recorder()
        let result = try await CurlTransport().outcome(request(server.url()), to: recorder)
        return (result, recorder)
    }

    @Test func plainGet() async throws {
        let (result, recorder) = try await receive(answer("hello", fields: "ETag: \"x\"\r\n"))
        let summary = try result.get()
        #expect(summary.bytesReceived == 5)
        #expect(summary.remoteAddress == "127.0.0.1" && summary.protocolName == "HTTP/1.1")
        #expect(!summary.stoppedByReceiver && !summary.reusedConnection)
        #expect(recorder.text == "hello")
        #expect(recorder.head?.status == 200)
        #expect(recorder.head?.fields.lines == [HTTPField("Content-Length", "5"), HTTPField("ETag", "\"x\"")])
        #expect(recorder.headCount == 1)
        #expect(recorder.connections == 1)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200),
        ("HTTP/1.1 204 No Content\r\n\r\n", 204),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 304),
        ("HTTP/1.1 302 Found\r\nLocation: ftp://x/\r\nContent-Length: 0\r\n\r\n", 302),
        ("HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */0\r\n\r\n", 416),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: trailer\r\n\r\n", 200),
        ("HTTP/1.0 200 OK\r\n\r\n", 200),
        ("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200),
    ])
    func withoutBody(response: String, status: Int) async throws {
        let (result, recorder) = try await receive(response)
        #expect(try result.get().bytesReceived == 0)
        #expect(recorder.head?.status == status)
        #expect(recorder.head?.fields["X"] == nil)
        #expect(recorder.headCount == 1)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n\r\nbody",
        "HTTP/1.0 200 OK\r\nX: y\r\n\r\nbody",
        "HTTP/1.1 200 OK\nX: y\n\nbody",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2;x=y\r\ndy\r\n0\r\nDigest: late\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n" + answer("body"),
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody and more than announced",
    ])
    func body(response: String) async throws {
        let (result, recorder) = try await receive(response)
        #expect(try result.get().bytesReceived == 4)
        #expect(recorder.text == "body")
        #expect(recorder.head?.fields["Link"] == nil)
        #expect(recorder.head?.fields["Digest"] == nil)
    }

    @Test func contentCodingIsLeftAlone() async throws {
        let (result, recorder) = try await receive(answer("\u{1F}\u{8B}zip", fields: "Content-Encoding: gzip\r\n"))
        #expect(try result.get().bytesReceived == 6)
        #expect(recorder.text == "\u{1F}\u{8B}zip")
        #expect(recorder.head?.fields["content-encoding"] == "gzip")
    }

    @Test func largeBodyArrivesInOrder() async throws {
        let content = pattern(3_000_000)
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n"
        let (result, recorder) = try await receive(Array(head.utf8) + content)
        #expect(try result.get().bytesReceived == 3_000_000)
        #expect(recorder.body == content)
    }

    @Test func absurdLengthIsLeftToTheReader() async throws {
        let (_, recorder) = try await receive(
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nsurvive")
        #expect(recorder.head?.fields["Content-Length"] == "99999999999999999999")
    }

    // MARK: - Refusals

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n",
        "<html>HTTP/0.9</html>",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nbytes",
        "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nbytes",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nbytes\r\n",
    ])
    func malformed(response: String) async throws {
        let (result, _) = try await receive(response)
        guard case .failure(.malformedResponse) = result else {
            Issue.record("\(result)")
            return
        }
    }

    enum TooLarge: CaseIterable {
        case interimHeads, manyFields, longLine, longInterimHeads

        var response: String {
            let filler = String(repeating: "y", count: 1000)
            let fields = String(repeating: "X: \(filler)\r\n", count: 320)
            return switch self {
            case .interimHeads: String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 40) + answer("x")
            case .manyFields: "HTTP/1.1 200 OK\r\n\(fields)\r\n"
            case .longLine: "HTTP/1.1 200 OK\r\nX: \(String(repeating: "y", count: 200_000))\r\n\r\n"
            case .longInterimHeads:
                "HTTP/1.1 100 Continue\r\n\(fields.prefix(200_000))\r\n\r\nHTTP/1.1 200 OK\r\n\(fields)"
            }
        }
    }

    @Test(arguments: TooLarge.allCases)
    func headTooLarge(_ kind: TooLarge) async throws {
        let (result, recorder) = try await receive(kind.response)
        #expect(result.error == .headTooLarge)
        #expect(recorder.headCount == 0)
    }

    @Test func shortBody() async throws {
        let (result, recorder) = try await receive("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfour")
        guard case .failure(.brokenInBody) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(recorder.text == "four")
    }

    @Test func shortChunks() async throws {
        let (result, recorder) = try await receive("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\nfour")
        guard case .failure(.brokenInBody) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(recorder.text == "four")
    }

    @Test func headIsDeliveredThoughTheBodyNeverComes() async throws {
        let (result, recorder) = try await receive("HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 10\r\n\r\n")
        guard case .failure(.brokenInBody) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(recorder.head?.status == 503)
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Le"])
    func closedBeforeHead(response: String) async throws {
        let (result, recorder) = try await receive(response)
        guard case .failure(.brokenBeforeHead) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(recorder.headCount == 0)
    }

    @Test(arguments: [false, true])
    func reset(afterHead: Bool) async throws {
        let received = Gate()
        let server = RawServer { connection in
            _ = connection.readRequest()
            if afterHead {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfour")
                received.wait()
            }
            connection.reset()
        }
        let recorder = Recorder(onBytes: { _ in
            received.open()
            return .proceed
        })
        let result = try await CurlTransport().outcome(request(server.url()), to: recorder)
        switch result {
        case .failure(.brokenInBody): #expect(afterHead)
        case .failure(.brokenBeforeHead): #expect(!afterHead)
        default: Issue.record("\(result)")
        }
        #expect(recorder.text == (afterHead ? "four" : ""))
    }
}
