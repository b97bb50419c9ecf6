import HaulOrigin
import HaulTestSupport
import Testing

/// Options for TLS and the way to the host, against nginx and the embedded server.
@Suite(.temporaryDirectory) struct NetworkFlagTests {
    private func secure(_ change: (inout NginxOrigin.Options) -> Void) async throws -> NginxOrigin {
        var options = NginxOrigin.Options()
        options.usesTLS = true
        change(&options)
        let origin = try await NginxOrigin(options)
        try FileContents.write([UInt8](repeating: 7, count: 3_000_000), to: origin.file("f"))
        return origin
    }

    @Test(.requiresNginx) func clientCertificate() async throws {
        let origin = try await secure { $0.directives = "ssl_client_certificate ca.pem; ssl_verify_client on;" }
        let url = origin.secureURL(for: "f")
        let without = try await Program.run("--cacert", origin.trustFile, url)
        #expect(without.status == .code(4), "\(without.errorText)")
        let (file, key) = origin.certificate
        let outcome = try await Program.run("--cacert", origin.trustFile, "--cert", file, "--key", key, "-n4", url)
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        let alone = try await Program.run("--cacert", origin.trustFile, "--key", key, "-o", "g", url)
        #expect(alone.status == .code(2))
        #expect(alone.errorText.contains("--cert"))
    }

    @Test(.requiresNginx) func oldestTLS() async throws {
        let origin = try await secure { $0.directives = "ssl_protocols TLSv1.2;" }
        let words = ["--cacert", origin.trustFile, "--retry", "0", origin.secureURL(for: "f")]
        let refused = try await Program.run(["--tls-min", "1.3"] + words)
        #expect(refused.status == .code(3))
        // Whom to trust has nothing to do with it.
        #expect(refused.errorText.contains("TLS") && refused.errorText.hasSuffix("allow an older one with --tls-min\n"))
        #expect(!refused.errorText.contains("--cacert"), "\(refused.errorText)")
        #expect(try await Program.run(["--tls-min", "1.2"] + words).status == .code(0))
    }

    @Test(.requiresNginx) func http2() async throws {
        let origin = try await secure {
            $0.usesHTTP2 = true
            $0.directives = #"if ($server_protocol != "HTTP/2.0") { return 418; }"#
        }
        let words = ["--cacert", origin.trustFile, "-n4", origin.secureURL(for: "f")]
        #expect(try await Program.run(words).status == .code(4))
        let outcome = try await Program.run(["--http2"] + words)
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.size(of: Program.file("f")) == 3_000_000)
    }

    @Test func resolvesAsToldAndConnectsFromWhereTold() async throws {
        let server = try OriginServer(OriginResource("/f", size: 3_000_000))
        let url = "http://file.invalid:\(server.port)/f"
        let entry = "file.invalid:\(server.port):127.0.0.1"
        let resolved = try await Program.run("--resolve", entry, "--resolve", "x.invalid:80:[::1]", "-n2", url)
        #expect(resolved.status == .code(0), "\(resolved.errorText)")
        #expect(server.requests.allSatisfy { $0.host == "file.invalid" })
        let four = try await Program.run("-4", "--interface", "127.0.0.1", "-o", "g", server.url(for: "/f"))
        #expect(four.status == .code(0), "\(four.errorText)")
        let six = try await Program.run("-6", "--retry", "0", "-o", "h", server.url(for: "/f"))
        #expect(six.status == .code(3))
    }

    @Test(arguments: ["nosuch9", "if!nosuch9", "192.0.2.1"])
    func anInterfaceThatIsNotThereIsNamedAtOnce(_ name: String) async throws {
        let server = try OriginServer(OriginResource("/f", size: 3_000_000))
        let outcome = try await Program.run("--json", "--retry", "2", "--interface", name, server.url(for: "/f"))
        #expect(outcome.status == .code(3), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("--interface") && outcome.errorText.contains("'\(name)'"))
        #expect(!outcome.errorText.contains("attempts") && !outcome.errorText.contains("to go on"))
        #expect(!outcome.outputText.contains(#""event":"retry""#), "\(outcome.outputText)")
        let doctor = try await Program.run("doctor", "--interface", name, server.url(for: "/f"))
        #expect(doctor.status == .code(3) && doctor.errorText.contains("--interface"), "\(doctor.errorText)")
    }
}
