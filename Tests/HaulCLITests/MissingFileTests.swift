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
        ["--cookie-jar", "."], ["--temp-directory", "missing"], ["-x", "ftp://proxy:1"], ["-x", "http://"],
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
}
