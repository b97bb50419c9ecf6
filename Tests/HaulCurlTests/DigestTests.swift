import HaulCore
import HaulCurl
import HaulTestSupport
import Synchronization
import Testing

/// Servers that want name and password in the Digest scheme (RFC 7616), which nobody knows before they say so.
@Suite("Digest", .inTurn, .timeLimit(.minutes(10)))
struct DigestTests {
    /// What came in one request line and its `Authorization`.
    private final class Log: Sendable {
        private let schemes = Mutex<[String]>([])
        var all: [String] { schemes.withLock(\.self) }
        func add(_ request: String) -> String {
            let field = request.split(separator: "\r\n").first { $0.hasPrefix("Authorization: ") }
            let scheme = field?.dropFirst("Authorization: ".count).prefix { $0 != " " }
            schemes.withLock { $0.append(scheme.map(String.init) ?? "none") }
            return scheme.map(String.init) ?? "none"
        }
    }

    private static func challenge(_ fields: [String]) -> String {
        (["HTTP/1.1 401 Unauthorized", "Content-Length: 6", "X-Head: refused"] + fields).map { $0 + "\r\n" }.joined()
            + "\r\nrefuse"
    }

    private static let digest = #"WWW-Authenticate: Digest realm="r", nonce="abc", qop="auth", algorithm=SHA-256"#

    private func server(_ log: Log, accepts: Bool = true, offers: [String] = [digest]) -> RawServer {
        RawServer(answering: { request, connection in
            let isRight = log.add(request) == "Digest" && request.contains(#"username="me""#) && accepts
            connection.write(isRight ? answer("file") : Self.challenge(offers))
        })
    }

    @Test func aServerThatWantsDigestGetsIt() async throws {
        let log = Log()
        let server = server(log)
        let transport = try CurlTransport()
        for _ in 0..<2 {
            let recorder = Recorder()
            let request = try request(server.url()) { $0.credentials = BasicCredentials(name: "me", password: "pw") }
            _ = try await transport.send(request, on: Slot(0), to: recorder)
            #expect(recorder.headCount == 1)
            #expect(recorder.head?.status == 200)
            #expect(recorder.head?.fields["X-Head"] == nil)
            #expect(recorder.text == "file")
        }
        // libcurl has read the first challenge; the second request knows what is wanted, and asks for one.
        #expect(log.all == ["Basic", "Digest", "none", "Digest"])
    }

    @Test func aWrongPasswordIsRefusedOnce() async throws {
        let log = Log()
        let server = server(log, accepts: false)
        let recorder = Recorder()
        let request = try request(server.url()) { $0.credentials = BasicCredentials(name: "me", password: "no") }
        _ = try await CurlTransport().send(request, on: Slot(0), to: recorder)
        #expect(recorder.headCount == 1)
        #expect(recorder.head?.status == 401)
        #expect(log.all == ["Basic", "Digest"])
    }

    /// Who takes Basic too has refused the password, and not the scheme.
    @Test func nothingIsTriedWhereBasicIsTaken() async throws {
        let log = Log()
        let server = server(log, offers: [Self.digest, #"WWW-Authenticate: Basic realm="r""#])
        let recorder = Recorder()
        let request = try request(server.url()) { $0.credentials = BasicCredentials(name: "me", password: "no") }
        _ = try await CurlTransport().send(request, on: Slot(0), to: recorder)
        #expect(recorder.head?.status == 401)
        #expect(log.all == ["Basic"])
    }

    @Test func nothingIsTriedWithoutAPassword() async throws {
        let log = Log()
        let server = server(log)
        let recorder = Recorder()
        _ = try await CurlTransport().send(try request(server.url()), on: Slot(0), to: recorder)
        #expect(recorder.head?.status == 401)
        #expect(log.all == ["none"])
    }
}
