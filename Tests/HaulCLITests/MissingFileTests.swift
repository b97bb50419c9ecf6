import HaulOrigin
import HaulTestSupport
import Testing

/// Files and values that can't be used are named before anything touches the network.
@Suite(.temporaryDirectory) struct MissingFileTests {
    @Test(arguments: ["--cacert", "--cert", "--key", "--netrc-file", "--cookie", "--checksum-file"])
    func isNamed(_ flag: String) async throws {
        let server = try OriginServer(OriginResource("/f", size: 1000))
        for path in ["missing", "."] {
            let outcome = try await Program.run(flag, path, server.url(for: "/f"))
            #expect(outcome.status == .code(2))
            #expect(
                outcome.errorText.hasPrefix("haul: option '\(flag)': can't read '\(path)': "), "\(outcome.errorText)")
            #expect(outcome.errorText.filter { $0 == "\n" }.count == 1)
        }
        #expect(server.connectionsAccepted == 0)
    }

    @Test(arguments: [
        ["--cookie-jar", "."], ["--cookie-jar", "missing/jar"], ["-A", "a\r\nX-Evil: b"],
        ["--temp-directory", "missing"], ["-x", "ftp://proxy:1"], ["-x", "http://"],
        ["-x", "http://proxy:99999"], ["-x", "http://a b"], ["--resolve", "host:80"],
        ["--resolve", "host:0:127.0.0.1"],
        ["--resolve", "host:80:name"], ["--tls-min", "1.4"], ["--max-time", "0"], ["--limit-rate", "0"],
        ["-b", "a=1\u{7}"], ["-e", "x\ny"], ["--key", "key"],
    ])
    func isRefused(_ words: [String]) async throws {
        let server = try OriginServer(OriginResource("/f", size: 1000))
        try Program.write("x", to: "key")
        let outcome = try await Program.run(words + [server.url(for: "/f")])
        #expect(outcome.status == .code(2), "\(outcome.errorText)")
        #expect(outcome.errorText.hasPrefix("haul: ") && outcome.errorText.filter { $0 == "\n" }.count == 1)
        #expect(server.connectionsAccepted == 0)
    }

    @Test(arguments: [["-d", "missing"], ["-o", "missing/f"], ["-d", "key"], ["-o", "key/f"]])
    func placesAreLookedAtFirst(_ words: [String]) async throws {
        let server = try OriginServer(OriginResource("/f", size: 1000))
        try Program.write("x", to: "key")
        let outcome = try await Program.run(words + [server.url(for: "/f")])
        #expect(outcome.status == .code(6), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("director") && outcome.errorText.filter { $0 == "\n" }.count == 1)
        #expect(server.connectionsAccepted == 0)
    }

    @Test(arguments: [
        ("-x", "ftp://proxy:1", "--proxy"), ("-x", "http://", "--proxy"), ("--proxy", "http://proxy:0", "--proxy"),
        ("-x", "a b", "--proxy"), ("--proxy", "http://user:secret@", "--proxy"), ("--resolve", "host:80", "--resolve"),
        ("--resolve", "host:80:::::", "--resolve"), ("--resolve", "host:80:1.2.3.4,x", "--resolve"),
        ("-x", "http://[::1", "--proxy"), ("-x", "http://[::1]x:80", "--proxy"), ("-x", "http://a:b:80", "--proxy"),
        ("--resolve", "host:80:1:2:3:4:5:6:7", "--resolve"), ("--resolve", "host:80:1::2::3", "--resolve"),
        ("--resolve", "host:80:fe80::1%lo", "--resolve"),
    ])
    func isNamedByItsFlag(_ flag: String, _ value: String, _ name: String) async throws {
        let outcome = try await Program.run(flag, value, "http://127.0.0.1:9/f")
        #expect(outcome.status == .code(2), "\(outcome.errorText)")
        #expect(outcome.errorText.contains(name), "\(outcome.errorText)")
        #expect(!outcome.errorText.contains("secret"), "\(outcome.errorText)")
    }

    @Test(arguments: [
        "::1", "[::1]", "1:2:3:4:5:6:7:8", "1::", "::", "::ffff:127.0.0.1", "1:2:3:4:5:6:1.2.3.4",
        "127.0.0.1,[::1]",
    ])
    func addressesOfEveryFormAreTaken(_ address: String) async throws {
        let server = try OriginServer(OriginResource("/f", size: 1000))
        let outcome = try await Program.run("--resolve", "host:80:\(address)", server.url(for: "/f"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
    }

    @Test(arguments: ["http://[::1]:9", "[::1]:9", "socks5h://user:a:b@127.0.0.1:9/", "127.0.0.1:9", ""])
    func proxiesOfEveryFormAreTried(_ proxy: String) async throws {
        let outcome = try await Program.run("--retry", "0", "-x", proxy, "http://127.0.0.1:9/f")
        #expect(outcome.status == .code(3), "\(outcome.errorText)")
    }
}
