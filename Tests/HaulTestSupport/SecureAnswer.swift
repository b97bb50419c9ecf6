import Glibc

/// One answer over TLS, sent to the first who connects by `openssl s_server`, which then says that it ends, or does not.
///
/// The answer goes out without a look at the request.
package final class SecureAnswer: Sendable {
    /// Address that gives it.
    package let url: String
    /// Certificate to trust, in PEM.
    package let trustFile: String

    private let directory: TemporaryDirectory
    private let process: ProcessRunner

    /// Makes a certificate and starts the server, which may not listen yet when this returns.
    ///
    /// - Parameters:
    ///   - answer: everything that is sent, head and body.
    ///   - endsProperly: whether the connection is closed after the answer with a `close_notify` (RFC 8446 §6.1); if not, it
    ///     stays open until `cut()`.
    /// - Throws: `ProcessError` when `openssl` can't be run.
    package init(_ answer: [UInt8], endsProperly: Bool) async throws(ProcessError) {
        directory = try TemporaryDirectory()
        try await NginxCertificate.make(in: directory, NginxOrigin.Options())
        trustFile = directory.file("ca.pem")
        let port = try NginxOrigin.freePort()
        url = "https://localhost:\(port)/file"
        process = try ProcessRunner(
            NginxCertificate.program,
            [
                "s_server", "-accept", "127.0.0.1:\(port)", "-quiet", "-naccept", "1", "-cert",
                directory.file("server.pem"), "-key", directory.file("server.key"),
            ], input: answer, endsInput: endsProperly)
    }

    deinit { process.signal(SIGKILL) }

    /// Ends the connection without a word of TLS.
    package func cut() { process.signal(SIGKILL) }
}
