import Glibc
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

    /// Tags and dates of the first address mean nothing to a mirror that takes its place.
    @Test func partialsGoOnFromMirrorsWithOtherValidators() async throws {
        var resource = OriginResource("/f", size: 6 << 20)
        var configuration = OriginConfiguration([resource])
        configuration.totalRate = 1 << 20
        let slow = try OriginServer(configuration)
        resource.etag = "\"v2\""
        resource.lastModified = 1_600_000_000
        let mirror = try OriginServer(resource)
        let stopped = try await Program.run("-o", "f", slow.url(for: "/f"), "--max-time", "2")
        #expect(stopped.status != .code(0))
        slow.stop()
        let resumed = try await Program.run("-o", "f", slow.url(for: "/f"), "--mirror", mirror.url(for: "/f"))
        #expect(resumed.status == .code(0), "\(resumed.errorText)")
        #expect(resumed.errorText.contains(" resumed"), "\(resumed.errorText)")
        #expect(!resumed.errorText.contains("starting over"), "\(resumed.errorText)")
        // Nor does the mirror's tag say anything about the first one's bytes.
        #expect(resumed.errorText.contains("one version as sampled"), "\(resumed.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: resource) == nil)
    }

    // MARK: - Servers that do not say how large their files are

    @Test(arguments: [0, 1, 3000, 3 << 20] as [Int64], [true, false])
    func filesOfUnknownSizeAreFoundComplete(_ size: Int64, _ isDated: Bool) async throws {
        for behavior in [OriginBehavior.chunkedUnknownLength, .closeDelimited] {
            var resource = OriginResource("/f", size: size, behavior: behavior)
            if !isDated { resource.lastModified = nil }
            let server = try OriginServer(resource)
            let name = "f\(behavior == .closeDelimited ? 1 : 0)"
            let words = ["-o", name, server.url(for: "/f")]
            let first = try await Program.run(words)
            #expect(first.status == .code(0), "\(first.errorText)")
            server.forgetRequests()
            let outcome = try await Program.run(words)
            #expect(outcome.status == .code(0), "\(behavior): \(outcome.errorText)")
            let proof = isDated && size > 1 << 20 ? "date and samples" : "every byte"
            #expect(outcome.errorText.contains("; verified: \(proof)\n"), "\(behavior): \(outcome.errorText)")
            #expect(server.requests.count == (proof == "every byte" ? 2 : 1))
            #expect(outcome.errorText.contains("neither size nor date") == (!isDated && size > 1 << 20))
            // The answer that gives the name waits meanwhile.
            let unnamed = [server.url(for: "/f"), "-d", TemporaryDirectory.current]
            if behavior == .chunkedUnknownLength {
                let again = try await again(unnamed)
                #expect(again.status == .code(0), "\(again.errorText)")
                #expect(again.errorText.contains("; verified: \(proof)\n"), "\(again.errorText)")
            }
        }
    }

    /// The same command ends a batch that was interrupted.
    @Test func listsOfUnknownSizesAreFinished() async throws {
        let resources = (0..<5).map { index in
            var resource = OriginResource(
                "/f\(index)", size: 9000, seed: UInt64(index), behavior: .chunkedUnknownLength)
            resource.lastModified = nil
            return resource
        }
        let server = try OriginServer(OriginConfiguration(resources))
        let urls = resources.map { server.url(for: $0.path) }
        try Program.write(urls.joined(separator: "\n"), to: "list")
        let part = try await Program.run(Array(urls.prefix(3)))
        #expect(part.status == .code(0), "\(part.errorText)")
        let outcome = try await Program.run("-i", "list")
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("haul: 5 of 5 files done, 3 of them before; "), "\(outcome.errorText)")
    }

    @Test func comparingAllOfAFileCanBeInterrupted() async throws {
        var resource = OriginResource("/f", size: 4 << 20, behavior: .chunkedUnknownLength)
        resource.lastModified = nil
        try FileContents.write(resource.content, 0..<resource.size, to: Program.file("f"))
        var configuration = OriginConfiguration([resource])
        configuration.totalRate = 256 << 10
        let server = try OriginServer(configuration)
        let runner = try ProcessRunner(
            HaulBinary.path, ["-o", "f", server.url(for: "/f")], environment: ["no_proxy": "*"],
            directory: TemporaryDirectory.current)
        while server.requests.count < 2 {
            try #require(!runner.hasEnded)
            try await Task.sleep(for: .milliseconds(20))
        }
        let clock = ContinuousClock()
        let start = clock.now
        runner.signal(SIGINT)
        let outcome = await runner.wait()
        #expect(outcome.status == .code(130), "\(outcome.errorText)")
        #expect(clock.now - start < .seconds(5))
        #expect(FileContents.difference(of: Program.file("f"), from: resource) == nil)
    }

    @Test(arguments: [3000, 3 << 20] as [Int64])
    func othersOfUnknownSizeStay(_ size: Int64) async throws {
        var resource = OriginResource("/f", size: size, behavior: .chunkedUnknownLength)
        let dated = try OriginServer(resource)
        resource.lastModified = nil
        let undated = try OriginServer(resource)
        let kept = try await Program.run("-o", "f", dated.url(for: "/f"))
        #expect(kept.status == .code(0), "\(kept.errorText)")
        let right = try FileContents.read(Program.file("f"))
        var flipped = right
        flipped[Int(size) - 1] ^= 1
        for other in [flipped, Array(right.dropLast()), right + [1], Array(right.prefix(100)), []] {
            try FileContents.write(other, to: Program.file("f"))
            for (server, reason) in [
                (dated, "its date is not the server's"), (undated, "its content is not the server's"),
            ] {
                let outcome = try await Program.run("-o", "f", server.url(for: "/f"))
                #expect(outcome.status == .code(9), "\(other.count): \(outcome.errorText)")
                #expect(
                    outcome.errorText.contains("(\(reason)): use --force to overwrite it, or another name\n"),
                    "\(outcome.errorText)")
            }
            #expect(try FileContents.read(Program.file("f")) == other)
        }
        // A part has no size that could tell it from another part.
        try FileContents.write(Array(right.prefix(100)), to: Program.file("f"))
        let part = try await Program.run("--range", "0-199", "-o", "f", undated.url(for: "/f"))
        #expect(part.status == .code(9), "\(part.errorText)")
    }
}
