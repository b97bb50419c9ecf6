import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// What options do, by the built program against a real socket, as far as no other suite is about them.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10))) struct FlagTests {
    private static let resource = OriginResource("/f", size: 6 << 20)

    private func number(_ key: String, _ text: String) -> Int64? {
        guard let place = text.ranges(of: "\"\(key)\":").last else { return nil }
        return Int64(text[place.upperBound...].prefix { $0.isNumber })
    }

    @Test func outputAndDirectory() async throws {
        let server = try OriginServer(Self.resource)
        mkdir(Program.file("sub"), 0o755)
        for (index, words) in [
            ["--output", "a", "--directory", "sub"], ["-ob", "-dsub"], ["--output=c", "--directory=sub"],
        ].enumerated() {
            let outcome = try await Program.run(words + [server.url(for: "/f")])
            #expect(outcome.status == .code(0), "\(outcome.errorText)")
            #expect(
                FileContents.difference(of: Program.file("sub/" + ["a", "b", "c"][index]), from: Self.resource) == nil)
        }
        let missing = try await Program.run("--directory", "none", server.url(for: "/f"))
        #expect(missing.status == .code(6), "\(missing.errorText)")
    }

    @Test func connectionsAndLeastSplit() async throws {
        let server = try OriginServer(Self.resource)
        for (words, connections) in [
            (["--connections", "3"], 3), (["-n1"], 1), (["--connections=4", "--min-split-size", "4M"], 1),
        ] as [([String], Int64)] {
            let outcome = try await Program.run(["--json", "-f", "-o", "x"] + words + [server.url(for: "/f")])
            #expect(outcome.status == .code(0), "\(outcome.errorText)")
            #expect(number("connections", outcome.outputText) == connections, "\(words)")
        }
    }

    @Test func forceAndRestart() async throws {
        let server = try OriginServer(Self.resource)
        try Program.write("mine", to: "f")
        let kept = try await Program.run(server.url(for: "/f"))
        #expect(kept.status == .code(9))
        #expect(try Program.text(of: "f") == "mine")
        let replaced = try await Program.run("--force", server.url(for: "/f"))
        #expect(replaced.status == .code(0))
        #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil)
        server.limit(rate: 2 << 20)
        let cut = try await Program.run("--max-time", "1.5", "-o", "g", server.url(for: "/f"))
        #expect(cut.status == .code(3) && FileContents.exists(Program.file("g.haul-journal")))
        server.limit()
        let anew = try await Program.run("--json", "--restart", "-o", "g", server.url(for: "/f"))
        #expect(anew.status == .code(0))
        #expect(number("resumed", anew.outputText) == 0)
    }

    @Test func adopt() async throws {
        let server = try OriginServer(Self.resource)
        try FileContents.write(Self.resource.content, 0..<3_000_000, to: Program.file("f"))
        let outcome = try await Program.run("--json", "--adopt", "f", server.url(for: "/f"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(number("resumed", outcome.outputText) == 3_000_000)
        #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil)
    }

    @Test func mirror() async throws {
        var configuration = OriginConfiguration([Self.resource])
        configuration.totalRate = 3 << 20
        let (first, second) = (try OriginServer(configuration), try OriginServer(Self.resource))
        let outcome = try await Program.run("--mirror", second.url(for: "/f"), first.url(for: "/f"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(!second.requests.isEmpty)
        #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil)
        for words in [["--mirror", "x"], ["--adopt", "x"]] {
            let several = try await Program.run(words + ["http://a.test/1", "http://a.test/2"])
            #expect(several.status == .code(2) && several.errorText.contains("is for one file but 2 URLs were given"))
        }
    }

    @Test func noVerifyAndNoSync() async throws {
        let server = try OriginServer(Self.resource)
        let outcome = try await Program.run("--no-verify", "--no-sync", server.url(for: "/f"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("not verified"))
        #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil)
        let checked = try await Program.run("-o", "g", server.url(for: "/f"))
        #expect(checked.errorText.contains("verified: crc32c of every range"))
    }

    @Test(.requiresNginx) func insecure() async throws {
        var options = NginxOrigin.Options()
        options.usesTLS = true
        let origin = try await NginxOrigin(options)
        try FileContents.write([1, 2, 3], to: origin.file("f"))
        let refused = try await Program.run("--retry", "0", origin.secureURL(for: "f"))
        #expect(refused.status == .code(3), "\(refused.errorText)")
        let accepted = try await Program.run("--insecure", origin.secureURL(for: "f"))
        #expect(accepted.status == .code(0), "\(accepted.errorText)")
        #expect(try await Program.run("-k", "-o", "g", origin.secureURL(for: "f")).status == .code(0))
    }

    @Test func howMuchIsSaid() async throws {
        let server = try OriginServer(Self.resource)
        let quiet = try await Program.run("--quiet", "-o", "a", server.url(for: "/f"))
        #expect(quiet.status == .code(0) && quiet.errorText.isEmpty && quiet.outputText.isEmpty)
        let verbose = try await Program.run("--verbose", "-o", "b", server.url(for: "/f"))
        #expect(verbose.errorText.contains("up to") && verbose.errorText.contains("requests"))
        let failed = try await Program.run("-q", server.url(for: "/none"))
        #expect(failed.status == .code(4) && failed.errorText.hasPrefix("haul: "))
    }

    @Test func progress() async throws {
        var configuration = OriginConfiguration([Self.resource])
        configuration.totalRate = 12 << 20
        let server = try OriginServer(configuration)
        for (style, mark) in [("bar", true), ("plain", false), ("none", false), ("auto", false)] {
            let outcome = try await Program.run("--progress", style, "-f", server.url(for: "/f"))
            #expect(outcome.status == .code(0), "\(outcome.errorText)")
            #expect(outcome.errorText.contains("\r") == mark, "\(style): \(outcome.errorText)")
            #expect(!outcome.errorText.contains("\u{1B}"))
        }
        #expect(try await Program.run("--progress", "much", server.url(for: "/f")).status == .code(2))
    }

    @Test func doctor() async throws {
        let server = try OriginServer(Self.resource)
        let outcome = try await Program.run("doctor", server.url(for: "/f"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.outputText.contains("6.00 MiB"), "\(outcome.outputText)")
    }

    @Test func demo() async throws {
        let outcome = try await Program.run("demo")
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.outputText.hasSuffix("All is as it should be.\n"), "\(outcome.outputText)")
        #expect(FileContents.names(in: TemporaryDirectory.current).isEmpty)
    }

    @Test func versionAndHelp() async throws {
        let version = try await Program.run("--version")
        #expect(version.status == .code(0) && version.errorText.isEmpty)
        for word in ["haul ", "libcurl/", "OpenSSL/", "crc32c/"] { #expect(version.outputText.contains(word)) }
        #expect(try await Program.run("-V").outputText == version.outputText)
        let help = try await Program.run("--help")
        #expect(help.status == .code(0) && help.outputText.contains("--metalink"))
        #expect(try await Program.run("-h").outputText.contains("--output"))
    }
}
