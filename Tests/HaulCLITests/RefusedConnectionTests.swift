import HaulOrigin
import HaulTestSupport
import Testing

/// Servers that let in fewer connections than are wanted.
@Suite(.temporaryDirectory) struct RefusedConnectionTests {
    /// What holds a download up is said, and only those that were served count.
    @Test(arguments: ["auto", "8"]) func refusalsAreNamed(_ connections: String) async throws {
        var configuration = OriginConfiguration([
            OriginResource(
                "/f", size: 16 << 20, behaviors: [.connectionCap(limit: 2, status: 503, retryAfter: .none)])
        ])
        configuration.totalRate = 8 << 20
        let server = try OriginServer(configuration)
        let words = ["--min-split-size", "256K", "-n", connections, "http://127.0.0.1:\(server.port)/f"]
        let events = try await Program.run(["--json", "-o", "a"] + words)
        #expect(events.status == .code(0), "\(events.errorText)")
        #expect(events.outputText.contains(#""message":"2 connections: the server refuses more (HTTP 503)"#))
        let done = events.outputText.split(separator: "\n").last ?? ""
        #expect(done.contains(#","connections":2,"#), "\(done)")
        let verbose = try await Program.run(["-v", "-o", "b"] + words)
        #expect(verbose.errorText.contains("\n2 connections: the server refuses more (HTTP 503)\n"))
        #expect(verbose.errorText.contains(", 2 connections, "), "\(verbose.errorText)")
    }
}
