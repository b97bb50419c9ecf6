import HaulOrigin
import HaulTestSupport
import Testing

/// Lists of checksums, from disk and from the network, and `haul verify`.
@Suite(.temporaryDirectory) struct ChecksumFileTests {
    private static let resource = OriginResource("/dir/big%20one.iso", size: 2_500_000, disposition: nil)
    private static let wrong = String(repeating: "0", count: 64)

    /// SHA-256 of the resource, as the system's own tool computes it.
    private func digest() async throws -> String {
        let path = Program.file("reference")
        try FileContents.write(Self.resource.content, 0..<Self.resource.size, to: path)
        let outcome = try await ProcessRunner.check("/usr/bin/sha256sum", [path])
        TemporaryDirectory.remove(path)
        return String(outcome.outputText.prefix(64))
    }

    @Test func localLists() async throws {
        let server = try OriginServer(Self.resource)
        let url = server.url(for: Self.resource.path)
        let digest = try await digest()
        try Program.write("\(Self.wrong)  other.iso\n\(digest)  ./big one.iso\n", to: "GNU")
        try Program.write("SHA256 (mine) = \(digest)\nSHA256 (other.iso) = \(Self.wrong)\n", to: "BSD")
        let gnu = try await Program.run("--checksum-file", "GNU", url)
        #expect(gnu.status == .code(0), "\(gnu.errorText)")
        #expect(gnu.errorText.contains("sha-256"))
        let bsd = try await Program.run("--checksum-file", "BSD", "-o", "mine", url)
        #expect(bsd.status == .code(0), "\(bsd.errorText)")
        server.forgetRequests()
        try Program.write("\(digest)  a\n\(Self.wrong)  a\n", to: "twice")
        let ambiguous = try await Program.run("--checksum-file", "twice", "-o", "a", url)
        #expect(ambiguous.status == .code(2))
        #expect(ambiguous.errorText.contains("twice:2: another sha-256 for 'a'"))
        let missing = try await Program.run("--checksum-file", "BSD", "-o", "b", url)
        #expect(missing.status == .code(2))
        #expect(missing.errorText.contains("BSD: none of its 2 entries is for 'b' or 'big one.iso'"))
        let binary = try await Program.run("--checksum-file", "/dev/zero", "-o", "b", url)
        #expect(binary.status == .code(2), "\(binary.errorText)")
        #expect(server.requests.isEmpty)
        try Program.write("\(Self.wrong)  big one.iso\n", to: "bad")
        let bad = try await Program.run("--checksum-file", "bad", "-o", "c", url)
        #expect(bad.status == .code(5))
        #expect(!FileContents.names(in: TemporaryDirectory.current).contains("c"))
    }

    @Test func nameThatTheServerGives() async throws {
        var named = Self.resource
        named.path = "/get"
        named.disposition = "attachment; filename=\"named.iso\""
        let server = try OriginServer(named)
        try Program.write("\(try await digest())  named.iso\n\(Self.wrong)  other\n", to: "SUMS")
        let outcome = try await Program.run("--checksum-file", "SUMS", server.url(for: "/get"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.size(of: Program.file("named.iso")) == named.size)
    }

    @Test(.requiresNginx) func listsFromTheNetwork() async throws {
        let origin = try await NginxOrigin()
        let digest = try await digest()
        try FileContents.write(Self.resource.content, 0..<Self.resource.size, to: origin.file("f"))
        try FileContents.write(Array("\(digest)  f\n".utf8), to: origin.file("SUMS"))
        try FileContents.write(Array("\(digest)  g\n\(digest)  h\n".utf8), to: origin.file("OTHER"))
        try FileContents.write([UInt8](repeating: 0x61, count: 2 << 20), to: origin.file("HUGE"))
        let url = origin.url(for: "f")
        let good = try await Program.run("--checksum-file", origin.url(for: "SUMS"), url)
        #expect(good.status == .code(0), "\(good.errorText)")
        let missing = try await Program.run("--checksum-file", origin.url(for: "OTHER"), "-o", "x", url)
        #expect(missing.status == .code(5))
        #expect(missing.errorText.contains("/OTHER: none of its 2 entries is for"))
        let huge = try await Program.run("--checksum-file", origin.url(for: "HUGE"), "-o", "x", url)
        #expect(huge.status == .code(5) && huge.errorText.contains("longer than 1 MiB"))
        let none = try await Program.run("--checksum-file", origin.url(for: "none"), "-o", "x", url)
        #expect(none.status == .code(4))
        let verified = try await Program.run("verify", "--checksum-file", origin.url(for: "SUMS"), "f")
        #expect(verified.status == .code(0), "\(verified.errorText)")
    }

    @Test func verify() async throws {
        let digest = try await digest()
        try FileContents.write(Self.resource.content, 0..<Self.resource.size, to: Program.file("f"))
        try Program.write("\(digest) *f\n", to: "SUMS")
        let good = try await Program.run("verify", "f", "--checksum-file", "SUMS", "--checksum", "sha256:\(digest)")
        #expect(good.status == .code(0), "\(good.errorText)")
        #expect(good.outputText == "f: OK (sha-256, sha-256)\n")
        let bad = try await Program.run("verify", "--checksum", "sha-256=\(Self.wrong)", "f")
        #expect(bad.status == .code(5))
        #expect(bad.errorText.hasPrefix("haul: f: sha-256 is \(digest), expected \(Self.wrong)"))
        let json = try await Program.run("verify", "--json", "--checksum", "sha-256=\(digest)", "f")
        #expect(json.outputText == #"{"path":"f","ok":true,"verified":["sha-256"]}"# + "\n")
        #expect(try await Program.run("verify", "f").status == .code(2))
        #expect(try await Program.run("verify", "-n4", "--checksum", "sha-256=\(digest)", "f").status == .code(2))
        #expect(try await Program.run("verify", "--checksum", "sha-256=\(digest)", "none").status == .code(6))
        #expect(try await Program.run("verify", "--checksum", "sha-256=\(digest)", ".").status == .code(6))
    }
}
