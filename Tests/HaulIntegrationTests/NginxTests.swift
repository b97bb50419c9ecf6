import HaulOrigin
import HaulTestSupport
import Testing

/// Against nginx, as most files are served.
@Suite(.serialized, .temporaryDirectory, .requiresNginx, .timeLimit(.minutes(10)))
struct NginxTests {
    private let content = OriginResource("/big.bin", size: 12_000_001, seed: 3)

    private func origin(_ options: NginxOrigin.Options = .init()) async throws -> NginxOrigin {
        let origin = try await NginxOrigin(options)
        try FileContents.write(content.content, 0..<content.size, to: origin.file("big.bin"))
        return origin
    }

    /// Requests in nginx's log, which it writes when an answer is over.
    private func requests(_ origin: NginxOrigin) throws -> [Substring] {
        let log = String(origin.root.dropLast("root".count)) + "access.log"
        return String(decoding: try FileContents.read(log), as: UTF8.self).split(separator: "\n")
    }

    @Test func fileIsDividedAndRight() async throws {
        let origin = try await origin()
        // So large that a twentieth of it is much more than lies in the sockets of a few requests that were cut.
        let content = OriginResource("/large.bin", size: 100_000_001, seed: 6)
        try FileContents.write(content.content, 0..<content.size, to: origin.file("large.bin"))
        let outcome = try await Program.run("--json", "-n", "8", "-o", "f", origin.url(for: "large.bin"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: content) == nil)
        #expect(Program.names == ["f"])
        #expect(outcome.outputText.contains("8 connections"))
        // Where work changes hands, what is on its way may come twice.
        #expect(outcome.number("received") ?? .max <= content.size * 105 / 100)
        await origin.stop()
        #expect(try requests(origin).allSatisfy { $0.contains("\" 206 ") })
    }

    @Test func smallFileCostsOneRequest() async throws {
        let origin = try await origin()
        let small = OriginResource("/small", size: 100_000, seed: 4)
        try FileContents.write(small.content, 0..<small.size, to: origin.file("small"))
        let outcome = try await Program.run("-n", "8", "-o", "f", origin.url(for: "small"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: small) == nil)
        await origin.stop()
        let log = try requests(origin)
        #expect(log.count == 1, "\(log)")
    }

    @Test func zeroAndOneByte() async throws {
        let origin = try await origin()
        for size in [0, 1] as [Int64] {
            let tiny = OriginResource("/tiny", size: size, seed: 5)
            try FileContents.write(tiny.content, 0..<size, to: origin.file("tiny\(size)"))
            let outcome = try await Program.run("-o", "f\(size)", origin.url(for: "tiny\(size)"))
            #expect(outcome.status == .code(0), "\(outcome.errorText)")
            #expect(FileContents.difference(of: Program.file("f\(size)"), from: tiny) == nil)
        }
    }

    @Test func connectionLimitIsLivedWith() async throws {
        var options = NginxOrigin.Options()
        options.connectionLimit = 2
        options.rate = 4 << 20
        let origin = try await origin(options)
        let outcome = try await Program.run("--json", "-n", "8", "-o", "f", origin.url(for: "big.bin"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: content) == nil)
        #expect(outcome.number("received") ?? .max <= content.size * 110 / 100)
        await origin.stop()
        let refused = try requests(origin).filter { $0.contains("\" 503 ") }.count
        #expect(refused <= 16, "\(refused) refusals")
    }

    @Test func rateLimitIsOutrun() async throws {
        var options = NginxOrigin.Options()
        options.rate = 1 << 20
        let origin = try await origin(options)
        let clock = ContinuousClock()
        let start = clock.now
        let outcome = try await Program.run("-n", "8", "-o", "f", origin.url(for: "big.bin"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: content) == nil)
        // One connection needs 11.4 seconds.
        #expect(clock.now - start < .seconds(8))
    }

    @Test func trustDecidesOverTLS() async throws {
        var options = NginxOrigin.Options()
        options.usesTLS = true
        let origin = try await origin(options)
        let other = try await NginxOrigin(options)
        let url = origin.secureURL(for: "big.bin")

        let trusted = try await Program.run("--json", "--cacert", origin.trustFile, "-n", "8", "-o", "f", url)
        #expect(trusted.status == .code(0), "\(trusted.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: content) == nil)
        #expect(trusted.outputText.contains("8 connections"))

        for trust in [["--cacert", other.trustFile], []] {
            let refused = try await Program.run(trust + ["-o", "g", url])
            #expect(refused.status == .code(3))
            let isNamed = ["the certificate's authority is", "the certificate is self-signed"].contains {
                refused.errorText.contains($0)
            }
            #expect(isNamed, "\(refused.errorText)")
            #expect(refused.errorText.contains("localhost"), "\(refused.errorText)")
        }
        #expect(Program.names == ["f"])

        let insecure = try await Program.run("-k", "-o", "h", url)
        #expect(insecure.status == .code(0), "\(insecure.errorText)")
        #expect(FileContents.difference(of: Program.file("h"), from: content) == nil)
    }

    @Test func encryptedFallsToPlainForNobody() async throws {
        var options = NginxOrigin.Options()
        options.usesTLS = true
        options.directives = "location /down { return 302 http://$host/big.bin; }"
        let origin = try await origin(options)
        for more in [[], ["--location-trusted"], ["-k"]] {
            let refused = try await Program.run(
                more + ["--cacert", origin.trustFile, "-o", "f", origin.secureURL(for: "down")])
            #expect(refused.status == .code(4), "\(refused.errorText)")
            #expect(refused.errorText.contains("not encrypted"), "\(refused.errorText)")
        }
        #expect(Program.names.isEmpty)
    }

    @Test(arguments: [-1, 2])
    func expiredOrWronglyNamedCertificateIsRefused(days: Int) async throws {
        var options = NginxOrigin.Options()
        options.usesTLS = true
        options.certificateDays = days
        if days > 0 { options.certificateNames = "DNS:elsewhere.example" }
        let origin = try await origin(options)
        let refused = try await Program.run("--cacert", origin.trustFile, "-o", "f", origin.secureURL(for: "big.bin"))
        #expect(refused.status == .code(3))
        let words = days > 0 ? "the certificate is for another host" : "the certificate has expired"
        #expect(refused.errorText.contains(words), "\(refused.errorText)")
        #expect(Program.names.isEmpty)
    }

    @Test func timeModeAndAbsentNames() async throws {
        let origin = try await origin()
        let date = try FileStatus(origin.file("big.bin")).modified[0]
        for (mask, mode) in [("027", 0o640), ("000", 0o666), ("077", 0o600)] as [(String, UInt32)] {
            let outcome = try await Program.shell("umask \(mask); \"$0\" -f -o f \"$1\"", origin.url(for: "big.bin"))
            #expect(outcome.status == .code(0), "\(outcome.errorText)")
            let status = try FileStatus(Program.file("f"))
            #expect(status.mode == mode)
            #expect(status.modified[0] == date)
        }
        let missing = try await Program.run("-o", "g", origin.url(for: "missing"))
        #expect(missing.status == .code(4))
        #expect(missing.errorText.contains("404"))
        #expect(Program.names == ["f"])
    }
}
