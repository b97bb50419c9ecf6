import HaulOrigin
import HaulTestSupport
import Testing

@testable import HaulCLI

/// Messages that name the file and say what follows or what to do.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10))) struct WhatNextTests {
    private let resource = OriginResource("/f.bin", size: 5000, seed: 1)

    @Test func aWrongChecksumNamesTheFile() async throws {
        let server = try OriginServer(resource)
        defer { server.stop() }
        let zeros = String(repeating: "0", count: 64)
        let outcome = try await Program.run(
            "--no-config", "-o", "f", "--checksum", "sha256=" + zeros, server.url(for: resource.path))
        #expect(outcome.status == .code(5))
        #expect(outcome.errorText.hasPrefix("haul: f: sha-256 is "), "\(outcome.errorText)")
        let end = "and was not kept under its name: check the address and the checksum\n"
        #expect(outcome.errorText.hasSuffix(end), "\(outcome.errorText)")
    }

    @Test func aPartialWithoutAJournalIsSaidToBeFetchedAnew() async throws {
        let server = try OriginServer(resource)
        defer { server.stop() }
        try Program.write("something else", to: "f.haul")
        let outcome = try await Program.run("--no-config", "-o", "f", server.url(for: resource.path))
        #expect(outcome.status == .code(0))
        #expect(
            outcome.errorText.hasPrefix("f.haul has no journal, so the file is fetched from the beginning\n"),
            "\(outcome.errorText)")
    }

    @Test func aDoctorWhoIsNotLetInGivesAdviceOfItsOwn() async throws {
        let server = try OriginServer(resource)
        let url = server.url(for: resource.path)
        server.stop()
        let outcome = try await Program.run("--no-config", "doctor", "--retry", "0", url)
        #expect(outcome.status == .code(3))
        #expect(outcome.errorText.hasSuffix(": check the address and the network\n"), "\(outcome.errorText)")
    }

    @Test func aMetalinkThatIsNoneIsNamedWithItsLine() async throws {
        try Program.write("hello\n", to: "x.meta4")
        let outcome = try await Program.run("--no-config", "--metalink", "x.meta4")
        #expect(outcome.errorText == "haul: x.meta4:1: this is no XML, and so no metalink: check the file\n")
    }
}
