import HaulOrigin
import HaulTestSupport
import Testing

/// `--metalink`, from disk and network, by the built program.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10))) struct MetalinkTests {
    private static let piece: Int64 = 1 << 20
    private static let resource = OriginResource("/a.bin", size: 5 * piece + 17)

    private func write(_ files: MetalinkText.File..., to name: String = "m.meta4") async throws {
        try Program.write(try await MetalinkText.make(files), to: name)
    }

    private func events(_ outcome: ProcessRunner.Outcome, _ name: String) -> [Substring] {
        outcome.outputText.split(separator: "\n").filter { $0.hasPrefix(#"{"event":"\#(name)""#) }
    }

    /// Names in an event, in order.
    private func keys(_ event: Substring?) -> [Substring] {
        let parts = event?.split(separator: "\"", omittingEmptySubsequences: false) ?? []
        return zip(parts, parts.dropFirst()).filter { $1.hasPrefix(":") }.map(\.0)
    }

    private func number(_ key: String, _ event: Substring?) -> Int64? {
        guard let event, let start = event.firstRange(of: "\"\(key)\":")?.upperBound else { return nil }
        return Int64(event[start...].prefix { $0.isNumber })
    }

    @Test func severalFilesAreABatchWithSafeNames() async throws {
        var other = OriginResource("/b.bin", size: 70_000, seed: 2)
        other.lastModified = nil
        let server = try OriginServer(OriginConfiguration([Self.resource, other]))
        let name = "../../dir/.a.bin"
        try await write(
            .init(name: name, resource: Self.resource, urls: [server.url(for: "/none"), server.url(for: "/a.bin")]),
            .init(name: "b.bin", resource: other, urls: [server.url(for: "/b.bin")], pieceLength: 50_000),
            .init(name: "b.bin", resource: other, urls: [server.url(for: "/b.bin?again")], hasWhole: false))
        let outcome = try await Program.run("--metalink", "m.meta4", "-j", "2")
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("haul: 3 of 3 files done"))
        #expect(outcome.errorText.contains("a.bin: 5.00 MiB") && outcome.errorText.contains("verified: sha-256,"))
        #expect(
            FileContents.names(in: TemporaryDirectory.current) == ["a.bin", "b (2).bin", "b.bin", "m.meta4"])
        #expect(FileContents.difference(of: Program.file("a.bin"), from: Self.resource) == nil)
        #expect(FileContents.difference(of: Program.file("b.bin"), from: other) == nil)
        server.forgetRequests()
        let again = try await Program.run("--metalink", "m.meta4")
        #expect(again.status == .code(0), "\(again.errorText)")
        #expect(again.errorText.contains("3 of them before"))
        #expect(!server.requests.contains { $0.request.target == "/a.bin" })
    }

    @Test(arguments: [true, false]) func onlyTheBadPieceIsFetchedAgain(_ hasWhole: Bool) async throws {
        var bad = Self.resource
        bad.behaviors = [.bitFlip(offset: 3 * Self.piece + 5, times: 1)]
        let server = try OriginServer(bad)
        try await write(
            .init(
                name: "a.bin", resource: Self.resource, urls: [server.url(for: "/a.bin")], hasWhole: hasWhole,
                pieceLength: Self.piece))
        let outcome = try await Program.run("--json", "-n2", "--metalink", "m.meta4")
        #expect(outcome.status == .code(0), "\(outcome.errorText)\(outcome.outputText)")
        #expect(FileContents.difference(of: Program.file("a.bin"), from: Self.resource) == nil)
        let done = events(outcome, "done").first
        // Whoever is cut short may bring a little more than was wanted of it.
        let received = try #require(number("received", done))
        let least = Self.resource.size + Self.piece
        #expect((least..<least + Self.piece / 2).contains(received), "\(done ?? "")")
        #expect(done?.contains(hasWhole ? #""sha-256""# : #""sha-256 of every piece""#) == true)
        #expect(events(outcome, "restart").isEmpty)
    }

    @Test func aMirrorWithABadPieceIsLeftOut() async throws {
        var bad = Self.resource
        bad.behaviors = [.bitFlip(offset: 100, times: 1000)]
        let first = try OriginServer(bad)
        let second = try OriginServer(Self.resource)
        try await write(
            .init(
                name: "a.bin", resource: Self.resource, urls: [first.url(for: "/a.bin"), second.url(for: "/a.bin")],
                pieceLength: Self.piece))
        let outcome = try await Program.run("--metalink", "m.meta4")
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("a.bin"), from: Self.resource) == nil)
        #expect(outcome.errorText.contains(" is left out: its bytes at offset "), "\(outcome.errorText)")
    }

    @Test func aBadPieceThatStaysBadKeepsTheRest() async throws {
        var bad = Self.resource
        bad.behaviors = [.bitFlip(offset: 3 * Self.piece + 5, times: 1000)]
        let server = try OriginServer(bad)
        let file = MetalinkText.File(
            name: "a.bin", resource: Self.resource, urls: [server.url(for: "/a.bin")], pieceLength: Self.piece)
        try await write(file)
        let outcome = try await Program.run("--metalink", "m.meta4")
        #expect(outcome.status == .code(5), "\(outcome.errorText)")
        #expect(!FileContents.exists(Program.file("a.bin")))
        let good = try OriginServer(Self.resource)
        var moved = file
        moved.urls = [good.url(for: "/a.bin")]
        try await write(moved)
        let again = try await Program.run("--json", "--metalink", "m.meta4")
        #expect(again.status == .code(0), "\(again.errorText)\(again.outputText)")
        #expect(number("resumed", events(again, "done").first) == Self.resource.size - Self.piece)
        #expect(FileContents.difference(of: Program.file("a.bin"), from: Self.resource) == nil)
    }

    @Test func anotherSizeIsAnotherFile() async throws {
        let server = try OriginServer(
            OriginConfiguration([Self.resource, OriginResource("/longer", size: Self.resource.size + 1)]))
        let urls = [server.url(for: "/longer"), server.url(for: "/a.bin")]
        try await write(.init(name: "a.bin", resource: Self.resource, urls: urls, hasWhole: false))
        let outcome = try await Program.run("--metalink", "m.meta4")
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("/longer is left out: it is"), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("a.bin"), from: Self.resource) == nil)
        for path in ["/a.bin", "/longer"] {
            let url = server.url(for: path)
            try await write(.init(name: "x", resource: Self.resource, urls: [url], size: 1_000_000, hasWhole: false))
            let alone = try await Program.run("--metalink", "m.meta4")
            #expect(alone.status == .code(5), "\(alone.errorText)")
            #expect(
                alone.errorText.contains("1000000 by what the publisher says")
                    || alone.errorText.contains("it is not 1000000 bytes long"), "\(alone.errorText)")
            #expect(!FileContents.names(in: TemporaryDirectory.current).contains { $0.hasPrefix("x") })
        }
    }

    @Test func brokenOnesAreNamedAndTheRestGoesOn() async throws {
        let server = try OriginServer(Self.resource)
        let good = try await MetalinkText.make([
            .init(name: "a.bin", resource: Self.resource, urls: [server.url(for: "/a.bin")])
        ])
        let cut = good.replacing("</metalink>", with: "<file name='z'><size>x</size></file>\n<file>\n")
        try Program.write(cut, to: "m.meta4")
        try Program.write(server.url(for: "/a.bin") + "\n  out=listed\n", to: "list")
        let outcome = try await Program.run("--metalink", "m.meta4", "-i", "list")
        #expect(outcome.status == .code(2))
        let lines = outcome.errorText.split(separator: "\n")
        let end = cut.count { $0 == "\n" } + 1
        #expect(lines.contains { $0.hasPrefix("haul: m.meta4:7: 'x' is no size") }, "\(outcome.errorText)")
        #expect(
            lines.contains { $0.hasPrefix("haul: m.meta4:\(end): this is no whole XML: it ends too early") },
            "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("a.bin"), from: Self.resource) == nil)
        #expect(FileContents.difference(of: Program.file("listed"), from: Self.resource) == nil)
        let missing = try await Program.run("--metalink", "none")
        #expect(missing.status == .code(2) && missing.errorText.hasPrefix("haul: option '--metalink': can't read"))
        let alone = try await Program.run("--metalink", "m.meta4", "-o", "x")
        #expect(alone.status == .code(2) && alone.errorText.contains("'--output' is for one file"))
    }

    @Test(arguments: [
        "<metalink/>", "<metalink xmlns='urn:ietf:params:xml:ns:metalink'>\n<generator>x</generator></metalink>",
        "<metalink version='3.0'><files></files></metalink>",
    ])
    func oneWithoutFilesIsAnError(_ text: String) async throws {
        try Program.write(text, to: "m.meta4")
        let outcome = try await Program.run("--metalink", "m.meta4")
        #expect(outcome.status == .code(2), "\(outcome.errorText)")
        #expect(outcome.errorText.hasPrefix("haul: m.meta4: the metalink names no file: "), "\(outcome.errorText)")
        #expect(outcome.errorText.filter { $0 == "\n" }.count == 1, "\(outcome.errorText)")
        let server = try OriginServer(Self.resource)
        let beside = try await Program.run("-q", "--metalink", "m.meta4", server.url(for: "/a.bin"))
        #expect(beside.status == .code(2) && beside.errorText.contains("m.meta4: "), "\(beside.errorText)")
        #expect(FileContents.exists(Program.file("a.bin")))
    }

    @Test func oneFileIsASingleDownload() async throws {
        let server = try OriginServer(Self.resource)
        let file = MetalinkText.File(
            name: "a.bin", resource: Self.resource, urls: [server.url(for: "/a.bin")], hasWhole: false)
        try await write(file)
        let outcome = try await Program.run("--metalink", "m.meta4")
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        // Where the name comes from is the only difference to an address.
        let lines = outcome.errorText.split(separator: "\n")
        #expect(lines.count == 1 && lines.first?.hasPrefix("a.bin: 5.00 MiB in ") == true, "\(outcome.errorText)")
        let quiet = try await Program.run("-q", "--json", "-f", "--metalink", "m.meta4")
        let plain = try await Program.run("-q", "--json", "-f", "-o", "./a.bin", server.url(for: "/a.bin"))
        let shapes = [quiet, plain].map { outcome in ["start", "done"].map { keys(events(outcome, $0).first) } }
        #expect(shapes[0] == shapes[1] && shapes[0].allSatisfy { $0.contains("url") }, "\(quiet.outputText)")
        try await write(.init(name: "b.bin", resource: Self.resource, urls: [server.url(for: "/none")]))
        let failed = try await Program.run("--metalink", "m.meta4")
        #expect(failed.status == .code(4), "\(failed.errorText)")
        #expect(failed.errorText.split(separator: "\n").count == 1, "\(failed.errorText)")
        // With anything beside it, it is one of many.
        try await write(file)
        let two = try await Program.run("-f", "--metalink", "m.meta4", server.url(for: "/a.bin"))
        #expect(two.status == .code(0) && two.errorText.contains("haul: 2 of 2 files done"), "\(two.errorText)")
        try Program.write("", to: "list")
        let listed = try await Program.run("-f", "--metalink", "m.meta4", "-i", "list")
        #expect(listed.errorText.contains("haul: 1 of 1 files done"), "\(listed.errorText)")
        let text = try await MetalinkText.make([file]).replacing("</metalink>", with: "<file name='z'/></metalink>")
        try Program.write(text, to: "m.meta4")
        let broken = try await Program.run("-f", "--metalink", "m.meta4")
        #expect(broken.errorText.contains("haul: 1 of 2 files done, 1 failed"), "\(broken.errorText)")
    }

    @Test(arguments: ["/dev/zero", "/dev/urandom"]) func endlessAndBinaryOnesEnd(_ path: String) async throws {
        let outcome = try await Program.run("--metalink", path)
        #expect(outcome.status == .code(2))
        #expect(outcome.errorText.hasPrefix("haul: \(path):"), "\(outcome.errorText)")
    }

    @Test func fromTheNetwork() async throws {
        let server = try OriginServer(Self.resource)
        let place = try OriginServer(OriginResource("/none", size: 10))
        let text = try await MetalinkText.make([
            .init(
                name: "a.bin", resource: Self.resource,
                urls: [server.url(for: "/a.bin").replacing("127.0.0.1", with: "localhost")])
        ])
        let web = try await NginxOrigin()
        try FileContents.write(Array(text.utf8), to: web.file("m.meta4"))
        try FileContents.write([UInt8](repeating: 0x20, count: 17 << 20), to: web.file("HUGE"))
        // What is meant for whoever has the metalink is not for whom it names.
        let secret = ["-H", "X-Token: t", "-b", "c=1", "-u", "name:secret"]
        let outcome = try await Program.run(secret + ["--metalink", web.url(for: "m.meta4")])
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("a.bin"), from: Self.resource) == nil)
        for field in ["X-Token", "Cookie", "Authorization"] {
            #expect(server.requests.allSatisfy { $0.field(field) == nil })
        }
        try Program.write(text, to: "m.meta4")
        let local = try await Program.run(secret + ["-f", "--metalink", "m.meta4"])
        #expect(local.status == .code(0) && server.requests.allSatisfy { $0.field("X-Token") == nil })
        server.forgetRequests()
        let trusted = try await Program.run(secret + ["-f", "--location-trusted", "--metalink", "m.meta4"])
        #expect(trusted.status == .code(0) && server.requests.contains { $0.field("X-Token") == "t" })
        let none = try await Program.run("--metalink", place.url(for: "/other"))
        #expect(none.status == .code(4))
        let wrong = try await Program.run("--metalink", place.url(for: "/none"))
        #expect(wrong.status == .code(5) && wrong.errorText.contains("/none:1: this is no XML"), "\(wrong.errorText)")
        let huge = try await Program.run("--metalink", web.url(for: "HUGE"))
        #expect(huge.status == .code(5) && huge.errorText.contains("longer than 16 MiB"), "\(huge.errorText)")
    }
}
