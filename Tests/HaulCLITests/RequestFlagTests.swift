import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// Options that say who asks, against a server that writes down what it was sent.
@Suite(.temporaryDirectory) struct RequestFlagTests {
    private static let size: Int64 = 2_000_003
    private static let secret = "Basic dXNlcjpzZWNyZXQ="

    private func moving() throws -> OriginServer {
        try OriginServer(OriginResource("/f", size: Self.size, behavior: .redirectCrossHost))
    }

    /// What requests to either host carried in a field, each value once.
    private func values(_ field: String, _ server: OriginServer) -> [String: Set<String?>] {
        Dictionary(grouping: server.requests, by: \.host).mapValues { Set($0.map { $0.field(field) }) }
    }

    @Test(arguments: [["--netrc"], ["--netrc-file", "secrets"]])
    func netrcLogsIn(_ words: [String]) async throws {
        let server = try OriginServer(OriginResource("/f", size: Self.size, behavior: .authRequired))
        let text = "machine 127.0.0.1 login user password secret\n"
        try Program.write(text, to: words.count == 1 ? ".netrc" : "secrets")
        let without = try await Program.run("--no-sync", server.url(for: "/f"))
        #expect(without.status == .code(4))
        let outcome = try await Program.run(words + ["-n4", server.url(for: "/f")])
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        // -u goes before the file.
        let other = try await Program.run(words + ["-u", "user:wrong", "-o", "g", server.url(for: "/f")])
        #expect(other.status == .code(4))
    }

    /// Who wants a password that was given for another host: the advice works.
    @Test func whoAsksBehindARedirectIsNamed() async throws {
        let server = try OriginServer(
            OriginResource("/f", size: Self.size, behaviors: [.redirectCrossHost, .authRequired]))
        for words in [["-u", "user:secret"], ["doctor"]] {
            let outcome = try await Program.run(words + [server.url(for: "/f")])
            #expect(outcome.status == .code(4))
            let place = "/f: HTTP 401 at http://localhost:\(server.port)/f?…: localhost wants a name and password: "
            #expect(outcome.errorText.contains(place), "\(outcome.errorText)")
        }
        let outcome = try await Program.run("-u", "user:secret", "--location-trusted", server.url(for: "/f"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
    }

    @Test func netrcsDefaultStaysWithTheOrigin() async throws {
        let server = try moving()
        try Program.write("default login user password secret\n", to: ".netrc")
        let outcome = try await Program.run("--netrc", server.url(for: "/f"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        let sent = values("Authorization", server)
        #expect(sent["127.0.0.1"] == [Self.secret])
        #expect(sent["localhost"] == [nil])
    }

    @Test func netrcsEntryGoesToTheHostItNames() async throws {
        let server = try moving()
        try Program.write("machine localhost login user password secret\n", to: ".netrc")
        let outcome = try await Program.run("--netrc", server.url(for: "/f"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        let sent = values("Authorization", server)
        #expect(sent["127.0.0.1"] == [nil])
        #expect(sent["localhost"] == [Self.secret])
    }

    @Test func cookieTextStaysWithTheOriginAndTheRestDoesNot() async throws {
        let server = try moving()
        let outcome = try await Program.run(
            "-A", "agent/1", "-e", "http://page.test/", "-b", "a=1; b=2", "-b", "c=3", "-n3", server.url(for: "/f"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(values("Cookie", server) == ["127.0.0.1": ["a=1; b=2; c=3"], "localhost": [nil]])
        #expect(values("User-Agent", server) == ["127.0.0.1": ["agent/1"], "localhost": ["agent/1"]])
        #expect(values("Referer", server).values.allSatisfy { $0 == ["http://page.test/"] })
    }

    @Test func trustedRedirectsGetEverything() async throws {
        let server = try moving()
        let outcome = try await Program.run(
            "--location-trusted", "-b", "a=1", "-u", "user:secret", "-H", "X-Token: t", server.url(for: "/f"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(values("Cookie", server) == ["127.0.0.1": ["a=1"], "localhost": ["a=1"]])
        #expect(values("X-Token", server) == ["127.0.0.1": ["t"], "localhost": ["t"]])
        #expect(values("Authorization", server) == ["127.0.0.1": [Self.secret], "localhost": [Self.secret]])
    }

    @Test func cookieFileAndJar() async throws {
        let server = try OriginServer(OriginResource("/f", size: Self.size, behavior: .cookieOnRedirect))
        try Program.write(
            """
            # Netscape HTTP Cookie File
            127.0.0.1\tFALSE\t/\tFALSE\t0\tfromfile\tyes
            elsewhere.test\tFALSE\t/\tFALSE\t0\tother\tno

            """, to: "cookies")
        let outcome = try await Program.run(
            "-b", "cookies", "-b", "text=1", "--cookie-jar", "jar", "-n4", server.url(for: "/f"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        for request in server.requests {
            let cookies = request.request.fields.filter { $0.name.lowercased() == "cookie" }
            #expect(cookies.count == 1)
            #expect(cookies.first?.value.contains("fromfile=yes") == true)
            #expect(cookies.first?.value.contains("text=1") == true)
            #expect(cookies.first?.value.contains("other") == false)
        }
        let jar = try Program.text(of: "jar")
        #expect(jar.contains("pass\topen") && jar.contains("fromfile\tyes"))
    }

    @Test func redirectsEndAtTheLimit() async throws {
        let server = try OriginServer(OriginResource("/f", size: Self.size, behavior: .redirectChain(hops: 3)))
        let refused = try await Program.run("--max-redirs", "2", server.url(for: "/f"))
        #expect(refused.status == .code(4))
        #expect(refused.errorText.contains("redirected more than 2 times"))
        #expect(try await Program.run("--max-redirs", "3", server.url(for: "/f")).status == .code(0))
    }

    @Test(.requiresNginx) func serverWithoutTLSIsToldInWords() async throws {
        let server = try await NginxOrigin(NginxOrigin.Options())
        let outcome = try await Program.run("https://127.0.0.1:\(server.port)/f")
        #expect(outcome.status == .code(3))
        #expect(outcome.errorText.contains("does not speak TLS on this port"), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("): check the address"), "\(outcome.errorText)")
    }

    @Test(.requiresNginx) func proxyWithCredentials() async throws {
        var options = NginxOrigin.Options()
        options.directives = #"if ($http_proxy_authorization != "Basic bWU6cCB3") { return 407; }"#
        let proxy = try await NginxOrigin(options)
        try FileContents.write([1, 2, 3], to: proxy.file("f"))
        let url = "http://origin.invalid/f"
        let address = "127.0.0.1:\(proxy.port)"
        let given = try await Program.run(["-x", "http://me:p%20w@\(address)", url], environment: ["no_proxy": ""])
        #expect(given.status == .code(0), "\(given.errorText)")
        let variable = try await Program.run(
            ["-o", "g", url], environment: ["no_proxy": "", "http_proxy": "http://me:p%20w@\(address)"])
        #expect(variable.status == .code(0), "\(variable.errorText)")
        let wrong = try await Program.run(
            ["-o", "h", "-x", "http://me:no@\(address)", url], environment: ["no_proxy": ""])
        #expect(wrong.status == .code(4))
        #expect(!wrong.errorText.contains("me:no"))
        #expect(wrong.errorText.contains("the proxy") && wrong.errorText.contains("--proxy"), "\(wrong.errorText)")
        let tunnel = try await Program.run(
            ["-o", "j", "-x", "http://me:no@\(address)", "https://origin.invalid/f"], environment: ["no_proxy": ""])
        #expect(tunnel.status == .code(3))
        let direct = try await Program.run(
            ["-o", "i", "--retry", "0", "-x", "", url],
            environment: ["no_proxy": "", "http_proxy": "http://\(address)"])
        #expect(direct.status == .code(3))
    }

    @Test(.requiresNginx) func secureProxy() async throws {
        var options = NginxOrigin.Options()
        options.usesTLS = true
        options.directives = #"if ($http_proxy_authorization != "Basic bWU6cCB3") { return 407; }"#
        let proxy = try await NginxOrigin(options)
        try FileContents.write([1, 2, 3], to: proxy.file("f"))
        let words = ["--retry", "0", "-x", "https://me:p%20w@localhost:\(proxy.securePort)", "http://origin.invalid/f"]
        let refused = try await Program.run(words, environment: ["no_proxy": ""])
        #expect(refused.status == .code(3))
        #expect(refused.errorText.contains("proxy") && !refused.errorText.contains("p%20w"), "\(refused.errorText)")
        for trust in [["--cacert", proxy.trustFile], ["-k", "-o", "g"]] {
            let outcome = try await Program.run(trust + words, environment: ["no_proxy": ""])
            #expect(outcome.status == .code(0), "\(outcome.errorText)")
        }
    }

    @Test func socksProxy() async throws {
        let server = try OriginServer(OriginResource("/f", size: Self.size))
        let proxy = try SocksProxy(to: server.port)
        let outcome = try await Program.run(
            ["-n2", "-x", "socks5h://127.0.0.1:\(proxy.port)", "http://origin.invalid/f"], environment: ["no_proxy": ""]
        )
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(proxy.hosts.contains("origin.invalid"))
    }

    /// A proxy that is asked again and again with a wrong password may lock the account.
    @Test(arguments: ["", "me:no@"])
    func aSocksProxyThatWantsAnotherPasswordIsAskedOnce(_ given: String) async throws {
        let server = try OriginServer(OriginResource("/f", size: Self.size))
        let proxy = try SocksProxy(to: server.port, wantsPassword: true)
        let address = "socks5h://\(given)127.0.0.1:\(proxy.port)"
        let outcome = try await Program.run(
            ["-x", address, "http://origin.invalid/f"], environment: ["no_proxy": ""])
        #expect(outcome.status == .code(3))
        #expect(outcome.errorText.contains("the proxy wants a name and password"), "\(outcome.errorText)")
        #expect(!outcome.errorText.contains("me:no"))
        #expect(proxy.connections == 1)
    }
}
