import HaulOrigin
import HaulTestSupport
import Testing

/// `haul doctor` against servers of every kind.
@Suite(.temporaryDirectory) struct DoctorTests {
    private func report(_ behaviors: OriginBehavior..., size: Int64 = 64 << 20) async throws -> ProcessRunner.Outcome {
        let server = try OriginServer(OriginResource("/f.iso", size: size, behaviors: behaviors))
        return try await Program.run("doctor", "--json", "--stall-timeout", "2", server.url(for: "/f.iso"))
    }

    @Test func honestServer() async throws {
        let server = try OriginServer(
            OriginResource(
                "/f.iso", size: 64 << 20, disposition: "attachment; filename=named.iso",
                fields: [OriginField("Repr-Digest", "md5=:1B2M2Y8AsgTpgAmY7PhCfg==:")],
                behaviors: [.redirectCrossHost]))
        let text = try await Program.run("doctor", server.url(for: "/f.iso"))
        #expect(text.status == .code(0) && text.errors.isEmpty, "\(text.errorText)")
        let expected = [
            "redirect        http://localhost:\(server.port)/f.iso?…", "protocol        HTTP/1.1",
            "length          64.0 MiB (67108864 bytes)", "ranges          served", "validator       strong",
            "digests         md5=d41d8cd98f00b204e9800998ecf8427e", "name            named.iso",
            "connection 2    admitted", "connection 4    admitted", "advice: -n auto, the default: ranges are served",
        ]
        for line in expected { #expect(text.outputText.contains(line), "\(line) not in \(text.outputText)") }
        #expect(FileContents.names(in: TemporaryDirectory.current).isEmpty)
    }

    @Test func otherServers() async throws {
        let none = try await report(.noRanges).outputText
        #expect(none.contains(#""ranges":"none""#) && none.contains(#""connections":1"#))
        let promised = try await report(.ignoresRange).outputText
        #expect(promised.contains(#""ranges":"only advertised""#) && promised.contains(#""connections":1"#))
        let capped = try await report(.connectionCap(limit: 1, status: 503, retryAfter: .none)).outputText
        #expect(capped.contains(#""admitted":1,"refusal":"HTTP 503","connections":1"#), "\(capped)")
        let three = try await report(.resetBeyondCap(limit: 3)).outputText
        #expect(three.contains(#""admitted":3"#) && three.contains(#""connections":3"#), "\(three)")
        let weak = try await report(.weakETagOnly).outputText
        #expect(weak.contains(#""validator":"weak""#) && weak.contains("--checksum"))
        let bare = try await report(.noValidator).outputText
        #expect(bare.contains(#""validator":"none""#))
        let unknown = try await report(.chunkedUnknownLength).outputText
        #expect(!unknown.contains(#""total""#) && unknown.contains(#""connections":1"#))
        let small = try await report(size: 1000).outputText
        #expect(small.contains("too small"))
    }

    /// The number advised is the number of connections that are let in, however the others are kept out.
    @Test(
        arguments: [1, 2, 3],
        [
            OriginConfiguration.Refusal.status(503, retryAfter: .none), .status(429, retryAfter: .seconds(5)), .reset,
            .close,
        ])
    func advisesWhatIsLetIn(_ limit: Int, _ refusal: OriginConfiguration.Refusal) async throws {
        var configuration = OriginConfiguration([OriginResource("/f.iso", size: 64 << 20)])
        configuration.connectionLimit = limit
        configuration.refusal = refusal
        let server = try OriginServer(configuration)
        let outcome = try await Program.run("doctor", "--stall-timeout", "2", server.url(for: "/f.iso"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        let ordinal = ["second", "third", "fourth"][limit - 1]
        #expect(
            outcome.outputText.contains("advice: -n \(limit): the server refuses a \(ordinal) connection ("),
            "\(outcome.outputText)")
    }

    @Test func refusals() async throws {
        let refused = try await report(.refuses(status: 404, times: 100, retryAfter: .none))
        #expect(refused.status == .code(4) && refused.outputText.contains(#""status":404"#))
        let silent = try await report(.stallBeforeHeaders(times: 100))
        #expect(silent.status == .code(3))
        #expect(try await Program.run("doctor").status == .code(2))
        #expect(try await Program.run("doctor", "ftp://x").status == .code(2))
    }
}
