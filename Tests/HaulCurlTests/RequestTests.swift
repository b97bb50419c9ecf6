import HaulCore
import HaulCurl
import HaulTestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

@Suite("Requests", .inTurn, .timeLimit(.minutes(10)))
struct RequestTests {
    private let transport: CurlTransport
    private let echo = RawServer(answering: { request, connection in connection.write(answer(request)) })

    init() throws { transport = try CurlTransport() }

    /// What the server got.
    private func sent(_ path: String = "/x", _ change: (inout TransferRequest) -> Void = { _ in }) async throws
        -> String
    {
        let recorder = Recorder()
        let request = try request(echo.url(path), change)
        _ = try await transport.send(request, on: Slot(0), to: recorder)
        return recorder.text
    }

    @Test func onlyWhatWasAskedFor() async throws {
        let text = try await sent("/a?b") {
            $0.fields = HTTPFields([HTTPField("Accept", "x/y"), HTTPField("Range", "bytes=0-1")])
        }
        #expect(
            text == "GET /a?b HTTP/1.1\r\nHost: 127.0.0.1:\(echo.port)\r\nAccept: x/y\r\nRange: bytes=0-1\r\n\r\n")
    }

    @Test func agentFieldsAndEmptyValues() async throws {
        let text = try await sent {
            $0.connection.userAgent = "haul/1"
            $0.fields = HTTPFields([HTTPField("X-Empty", ""), HTTPField("X-Two", "1"), HTTPField("X-Two", "ü")])
        }
        #expect(text.contains("User-Agent: haul/1\r\n"))
        #expect(text.contains("X-Empty:\r\n"))
        #expect(text.contains("X-Two: 1\r\nX-Two: ü\r\n"))
    }

    @Test(arguments: [
        HTTPField("X", "a\r\nY: b"), HTTPField("X", "a\0"), HTTPField("X: y\r\nZ", "a"), HTTPField("", "a"),
        HTTPField("X Y", "a"),
    ])
    func fieldsThatWouldBreakTheMessageAreRefused(field: HTTPField) async throws {
        let request = try request(echo.url()) { $0.fields = HTTPFields([field]) }
        guard case .failure(.transportFailure) = await transport.outcome(request, to: Recorder()) else {
            Issue.record("sent")
            return
        }
        #expect(echo.connectionCount == 0)
    }

    @Test func credentialsGoOutAtOnce() async throws {
        let text = try await sent { $0.credentials = BasicCredentials(name: "me", password: "a:b") }
        #expect(text.contains("Authorization: Basic bWU6YTpi\r\n"))
    }

    @Test func netrcIsForItsHostOnly() async throws {
        let file = try temporaryFile("machine 127.0.0.1 login me password secret\n")
        defer { unlink(file) }
        let text = try await sent {
            $0.connection.netrc = .optional
            $0.connection.netrcFile = file
        }
        #expect(text.contains("Authorization: Basic bWU6c2VjcmV0\r\n"))
        let other = try await sent {
            $0.url = (try? transport.parse("http://other.test:\(echo.port)/", relativeTo: nil)) ?? $0.url
            $0.connection.resolve = ["other.test:\(echo.port):127.0.0.1"]
            $0.connection.netrc = .optional
            $0.connection.netrcFile = file
        }
        #expect(other.contains("Host: other.test"))
        #expect(!other.contains("Authorization"))
    }

    @Test func cookiesAreKeptForAllSlots() async throws {
        let server = RawServer(answering: { request, connection in
            connection.write(answer(request, fields: "Set-Cookie: seen=\(connection.number)\r\n"))
        })
        let jar = try temporaryFile("")
        defer { unlink(jar) }
        let start = try temporaryFile(
            "127.0.0.1\tFALSE\t/\tFALSE\t0\tgiven\tyes\n127.0.0.1\tFALSE\t/\tFALSE\t0\tseen\tfile\n")
        defer { unlink(start) }
        let request = try request(server.url()) {
            $0.connection.cookieFile = start
            $0.connection.cookieJar = jar
        }
        var texts: [String] = []
        for slot in 0..<3 {
            let recorder = Recorder(onHead: { _ in .pause })
            async let result = transport.outcome(request, on: slot, to: recorder)
            await recorder.hasHead.wait()
            transport.resume(Slot(slot))
            _ = await result
            texts.append(recorder.text)
        }
        #expect(texts[0].contains("given=yes") && texts[0].contains("seen=file"))
        #expect(texts[1].contains("given=yes") && texts[1].contains("seen=0"))
        #expect(texts[2].contains("seen=0"))
        let written = try contents(of: jar)
        #expect(written.contains("\tseen\t0\n"))
    }

    @Test func absentFilesAreNamed() async throws {
        let request = try request("https://127.0.0.1:\(echo.port)/") { $0.connection.trustFile = "/nowhere/ca.pem" }
        let result = await transport.outcome(request, to: Recorder())
        guard case .failure(.tls(let detail)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(detail.contains("/nowhere/ca.pem"))
    }

    @Test func interfaceThatIsNotThere() async throws {
        let request = try request(echo.url()) { $0.connection.interface = "haul-none" }
        let result = await transport.outcome(request, to: Recorder())
        guard case .failure(.noInterface(name: "haul-none", let detail)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(detail.contains("haul-none"))
    }

    @Test func ipVersion() async throws {
        let request = try request("http://localhost:\(echo.port)/") { $0.connection.ipVersion = .v4 }
        #expect(try await transport.send(request, on: Slot(0), to: Recorder()).remoteAddress == "127.0.0.1")
    }

    @Test func componentsAreNamed() throws {
        #expect(try CurlLibrary.load().components.hasPrefix("libcurl/"))
    }

    private func temporaryFile(_ text: String) throws -> String {
        var template = Array("/tmp/haul-curl-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(write(descriptor, text, text.utf8.count) == text.utf8.count)
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private func contents(of file: String) throws -> String {
        let descriptor = open(file, O_RDONLY)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
