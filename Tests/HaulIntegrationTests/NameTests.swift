import HaulOrigin
import HaulTestSupport
import Testing

/// Names that servers give: one harmless part of a path, inside the directory.
@Suite(.serialized, .temporaryDirectory, .timeLimit(.minutes(10)))
struct NameTests {
    /// What a server says, and what the file is called.
    struct Suggestion: CustomTestStringConvertible, Sendable {
        var disposition: String?
        var path = "/dir/from-url.bin"
        var name: String

        var testDescription: String { disposition ?? path }
    }

    // swift-format-ignore
    static let suggestions: [Suggestion] = [
        .init(disposition: nil, name: "from-url.bin"),
        .init(disposition: nil, path: "/", name: "download"),
        .init(disposition: nil, path: "/a%20b%2Fc.bin", name: "c.bin"),
        .init(disposition: nil, path: "/..%2f..%2fescape.bin", name: "escape.bin"),
        .init(disposition: "attachment; filename=plain.bin", name: "plain.bin"),
        .init(disposition: "attachment; filename=\"with; semicolon.bin\"", name: "with; semicolon.bin"),
        .init(disposition: "attachment; filename=\"a\\\"b.bin\"", name: "a\"b.bin"),
        .init(disposition: "attachment; filename=x.bin; filename*=UTF-8''%e2%82%ac.bin", name: "€.bin"),
        .init(disposition: "attachment; filename=\"../../etc/passwd\"", name: "passwd"),
        .init(disposition: "attachment; filename=\"..\\\\..\\\\evil.exe\"", name: "evil.exe"),
        .init(disposition: "attachment; filename=\"/etc/cron.d/job\"", name: "job"),
        .init(disposition: "attachment; filename=\".bashrc\"", name: "bashrc"),
        .init(disposition: "attachment; filename=\"..\"", name: "from-url.bin"),
        .init(disposition: "attachment; filename=\"a.bin.haul\"", name: "a.bin"),
        .init(disposition: "attachment; filename=\"a.bin.haul-journal\"", name: "a.bin"),
        .init(disposition: "attachment; filename*=UTF-8''..%2f..%2fup.bin", name: "up.bin"),
        .init(disposition: "attachment; filename=", name: "from-url.bin"),
    ]

    @Test(arguments: suggestions)
    func namesAreHarmless(_ suggestion: Suggestion) async throws {
        let resource = OriginResource(suggestion.path, size: 10_000, disposition: suggestion.disposition)
        let server = try OriginServer(resource)
        _ = try await ProcessRunner.check("/bin/mkdir", [Program.file("d")])
        let outcome = try await Program.run("-d", "d", server.url(for: suggestion.path))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(Program.names == ["d"])
        #expect(FileContents.names(in: Program.file("d")) == [suggestion.name])
        #expect(FileContents.difference(of: Program.file("d/\(suggestion.name)"), from: resource) == nil)
    }

    @Test func failuresSayWhichFileTheyAreAbout() async throws {
        let resource = OriginResource("/x", size: 10_000, disposition: "attachment; filename=\"real name.bin\"")
        let server = try OriginServer(resource)
        try FileContents.write([1, 2, 3], to: Program.file("real name.bin"))
        let outcome = try await Program.run("--json", "-d", ".", server.url(for: "/x"))
        #expect(outcome.status == .code(9), "\(outcome.errorText)")
        let error = outcome.outputText.split(separator: "\n").last { $0.contains("\"event\":\"error\"") }
        #expect(error?.contains("\"output\":\"./real name.bin\"") == true, "\(outcome.outputText)")
        #expect(try FileContents.read(Program.file("real name.bin")) == [1, 2, 3])
    }

    @Test func longNamesAreCut() async throws {
        let long = String(repeating: "long", count: 100) + ".tar.gz"
        let resource = OriginResource("/x", size: 10_000, disposition: "attachment; filename=\(long)")
        let server = try OriginServer(resource)
        let outcome = try await Program.run("-d", ".", server.url(for: "/x"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        let name = try #require(Program.names.first)
        #expect(Program.names.count == 1)
        #expect(name.utf8.count <= 255 && name.hasPrefix("longlong") && name.hasSuffix(".tar.gz"))
    }

    @Test func serverNamedFileGoesOn() async throws {
        let resource = OriginResource(
            "/id?7", size: 6_000_001, disposition: "attachment; filename=\"real name.bin\"")
        var served = resource
        served.path = "/id"
        let server = try Origin.limited(served, rate: 2 << 20, after: 3_500_000)
        let words = ["--json", "-n", "4", server.url(for: "/id?token=1")] + Origin.smallSplit
        let process = try Program.start(words)
        try await Waiting.until("bytes") { server.bytesSent > 3_000_000 || process.hasEnded }
        process.signal(2)
        #expect(await process.wait().status == .code(130))
        #expect(Program.names == ["real name.bin.haul", "real name.bin.haul-journal"])
        server.replace(served)
        server.limit()
        let again = try await Program.run(words)
        #expect(again.status == .code(0), "\(again.errorText)")
        #expect(again.number("resumed") ?? 0 > 0)
        #expect(Program.names == ["real name.bin"])
        #expect(FileContents.difference(of: Program.file("real name.bin"), from: served) == nil)
        #expect(server.bytesSent <= served.size + (3 << 20))
    }
}
