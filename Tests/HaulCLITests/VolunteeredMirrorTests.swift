import HaulOrigin
import HaulTestSupport
import Testing

/// Mirrors that servers name (RFC 6249), by the built program.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10))) struct VolunteeredMirrorTests {
    private static let resource = OriginResource("/a.bin", size: 24 << 20)

    private func digestField() async throws -> OriginField {
        let hex = try await MetalinkText.digests(of: Self.resource, [0..<Self.resource.size]).joined()
        // RFC 5843 §3.2 has base64; haul takes hexadecimal digits too.
        return OriginField("Digest", "SHA-256=\(hex)")
    }

    /// A server that is slow, and names another one.
    private func slow(_ fields: [OriginField]) throws -> OriginServer {
        var resource = Self.resource
        resource.fields = fields
        var configuration = OriginConfiguration([resource])
        configuration.totalRate = 12 << 20
        return try OriginServer(configuration)
    }

    private func link(_ server: OriginServer) -> OriginField {
        OriginField("Link", "<\(server.url(for: "/a.bin"))>; rel=duplicate; pri=1; geo=de")
    }

    @Test func copiesAreUsedOnlyWithADigest() async throws {
        let mirror = try OriginServer(Self.resource)
        let silent = try slow([link(mirror)])
        let without = try await Program.run(silent.url(for: "/a.bin"))
        #expect(without.status == .code(0), "\(without.errorText)")
        #expect(mirror.requests.isEmpty)
        let vouched = try slow([link(mirror), try await digestField()])
        let outcome = try await Program.run(
            "-o", "b", "-H", "X-Token: t", "-u", "name:secret", vouched.url(for: "/a.bin"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("sha-256 (the server's)"))
        #expect(!mirror.requests.isEmpty)
        #expect(mirror.requests.allSatisfy { $0.field("X-Token") == nil && $0.field("Authorization") == nil })
        #expect(FileContents.difference(of: Program.file("b"), from: Self.resource) == nil)
    }

    @Test func aCopyThatIsSomethingElseDoesNoHarm() async throws {
        // Equal but for one byte that samples are not likely to see: then the digest does.
        var other = Self.resource
        other.behaviors = [.bitFlip(offset: 20 << 20, times: 1000)]
        let mirror = try OriginServer(other)
        let server = try slow([link(mirror), try await digestField()])
        let outcome = try await Program.run(server.url(for: "/a.bin"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("a.bin"), from: Self.resource) == nil)
    }

    @Test func aDescriptionBringsDigestAndCopies() async throws {
        let mirror = try OriginServer(Self.resource)
        let web = try await NginxOrigin()
        let text = try await MetalinkText.make([
            .init(name: "a.bin", resource: Self.resource, urls: [mirror.url(for: "/a.bin")])
        ])
        try FileContents.write(Array(text.utf8), to: web.file("a.meta4"))
        let field = OriginField(
            "Link", "<\(web.url(for: "a.meta4"))>; rel=describedby; type=\"application/metalink4+xml\"")
        let server = try slow([field])
        let outcome = try await Program.run(server.url(for: "/a.bin"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("sha-256 (the server's)"))
        #expect(!mirror.requests.isEmpty)
        #expect(FileContents.difference(of: Program.file("a.bin"), from: Self.resource) == nil)
        // One that is of no use is told, and nothing more.
        try FileContents.write(Array("<html>".utf8), to: web.file("a.meta4"))
        let useless = try await Program.run("-o", "b", server.url(for: "/a.bin"))
        #expect(useless.status == .code(0), "\(useless.errorText)")
        #expect(useless.errorText.contains("a.meta4:1: this is no metalink"), "\(useless.errorText)")
    }
}
