import HaulOrigin
import HaulTestSupport
import Testing

/// The same command again, after everything was fetched: each file is found complete.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10))) struct RerunTests {
    /// Runs a command twice, and returns what the second run left.
    private func again(_ words: [String]) async throws -> ProcessRunner.Outcome {
        let first = try await Program.run(words)
        #expect(first.status == .code(0), "\(words): \(first.errorText)")
        #expect(!first.errorText.contains("already complete"), "\(first.errorText)")
        return try await Program.run(words)
    }

    // MARK: - Dead first addresses

    @Test(arguments: [3000, 2 << 20] as [Int64])
    func mirrorsVouchWhenTheFirstAddressIsDead(_ size: Int64) async throws {
        let server = try OriginServer(OriginResource("/m1", size: size))
        let good = server.url(for: "/m1")
        let dead = [server.url(for: "/none/m1"), "http://127.0.0.1:9/m1"]
        let reasons = ["HTTP 404", "127.0.0.1 refused the connection on port 9"]
        for (number, (address, reason)) in zip(dead, reasons).enumerated() {
            try Program.write("\(address)\t\(good)\n out=list\(number)\n", to: "list")
            try Program.write(
                "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='meta\(number)'>"
                    + "<url priority='1'>\(address)</url><url priority='2'>\(good)</url></file></metalink>",
                to: "m.meta4")
            for words in [
                ["-i", "list"], ["--metalink", "m.meta4"], ["-o", "mirror\(number)", address, "--mirror", good],
            ] {
                let outcome = try await again(words)
                #expect(outcome.status == .code(0), "\(words): \(outcome.errorText)")
                #expect(outcome.errorText.contains("already complete"), "\(words): \(outcome.errorText)")
                #expect(outcome.errorText.contains("\(address) is left out: \(reason)\n"), "\(outcome.errorText)")
            }
            // Without a name the answer gives one, and whoever answers it is asked.
            let named = ["-d", TemporaryDirectory.current, address, "--mirror", good]
            let outcome = number == 0 ? try await again(named) : try await Program.run(named)
            #expect(outcome.status == .code(0), "\(outcome.errorText)")
            #expect(outcome.errorText.contains("m1: already complete"), "\(outcome.errorText)")
        }
    }

    @Test func whenAllAreDeadTheFirstOnesErrorIsTold() async throws {
        let server = try OriginServer(OriginResource("/m1", size: 3000))
        try Program.write("mine", to: "f")
        let outcome = try await Program.run(
            "-o", "f", server.url(for: "/none"), "--mirror", "http://127.0.0.1:9/", "--retry", "1")
        #expect(outcome.status == .code(4), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("haul: \(server.url(for: "/none")): HTTP 404"), "\(outcome.errorText)")
        #expect(try Program.text(of: "f") == "mine")
    }

    @Test func aMirrorOfAnotherSizeIsADifference() async throws {
        let server = try OriginServer(OriginResource("/f", size: 3000), OriginResource("/g", size: 3001))
        let first = try await Program.run("-o", "f", server.url(for: "/f"))
        #expect(first.status == .code(0), "\(first.errorText)")
        let outcome = try await Program.run("-o", "f", server.url(for: "/none"), "--mirror", server.url(for: "/g"))
        #expect(outcome.status == .code(9), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("its size is not the server's"), "\(outcome.errorText)")
    }

    /// A partial that only samples can vouch for is compared with whoever answers, and so is another tool's.
    @Test func partialsAreComparedWithMirrors() async throws {
        var resource = OriginResource("/f", size: 6 << 20)
        resource.etag = nil
        var configuration = OriginConfiguration([resource])
        let server = try OriginServer(resource)
        try FileContents.write(resource.content, 0..<2_000_000, to: Program.file("f"))
        let words = ["-o", "f", server.url(for: "/none"), "--mirror", server.url(for: "/f")]
        let adopted = try await Program.run(words + ["--adopt", "f"])
        #expect(adopted.status == .code(0), "\(adopted.errorText)")
        #expect(adopted.errorText.contains("1.91 MiB resumed"), "\(adopted.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: resource) == nil)
        configuration.totalRate = 1 << 20
        let slow = try OriginServer(configuration)
        let stopped = try await Program.run("-o", "g", slow.url(for: "/f"), "--max-time", "2")
        #expect(stopped.status != .code(0))
        let resumed = try await Program.run("-o", "g", server.url(for: "/none"), "--mirror", server.url(for: "/f"))
        #expect(resumed.status == .code(0), "\(resumed.errorText)")
        #expect(resumed.errorText.contains("resumed"), "\(resumed.errorText)")
        #expect(FileContents.difference(of: Program.file("g"), from: resource) == nil)
    }
}
