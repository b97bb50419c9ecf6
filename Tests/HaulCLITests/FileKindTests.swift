import HaulOrigin
import HaulTestSupport
import Testing

@testable import HaulCLI

/// Files of options that hold something else are named before anything touches the network.
@Suite(.temporaryDirectory) struct FileKindTests {
    @Test(arguments: [
        ("--cacert", "hello\n", "'x' holds no certificate in PEM"),
        ("--cacert", "-----BEGIN PRIVATE KEY-----\nMAo=\n", "'x' holds no certificate in PEM"),
        ("--cert", "", "'x' holds no certificate in PEM"),
        ("--key", "-----BEGIN CERTIFICATE-----\nMAo=\n", "'x' holds no private key in PEM"),
        ("--cookie", "<html>\n<title>Log in</title>\n", "'x' holds no cookie in Netscape's format"),
        ("--cookie", "\u{0}\u{1}\u{2}", "'x' holds no cookie in Netscape's format"),
        ("--netrc-file", String(repeating: "#\n", count: 600_000), "x is longer than 1 MiB"),
    ])
    func anotherIsNamed(_ flag: String, _ text: String, _ problem: String) async throws {
        let server = try OriginServer(OriginResource("/f", size: 1000))
        try Program.write(text, to: "x")
        // Another option of its kind is right.
        let outcome = try await Program.run(
            (flag == "--key" ? ["--cert", "/dev/null"] : []) + [flag, "x", server.url(for: "/f")])
        #expect(outcome.status == .code(2))
        #expect(outcome.errorText.contains(problem), "\(outcome.errorText)")
        #expect(outcome.errorText.filter { $0 == "\n" }.count == 1)
        #expect(server.connectionsAccepted == 0)
    }

    @Test(arguments: [
        (FileKind.certificates, "subject=x\r\n-----BEGIN CERTIFICATE-----\r\nMAo=\r\n"),
        (.certificates, "-----BEGIN TRUSTED CERTIFICATE-----\n"), (.key, "-----BEGIN EC PRIVATE KEY-----\n"),
        (.key, "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"), (.cookies, ""),
        (.cookies, "# Netscape HTTP Cookie File\n\n"),
        (.cookies, ".h\tTRUE\t/\tFALSE\t0\tname\tvalue\n"), (.cookies, "#HttpOnly_h\tFALSE\t/\tTRUE\t0\tname\t\n"),
        (.cookies, "odd\nh\tFALSE\t/\tTRUE\t0\tname"), (.cookies, "HTTP/1.1 200 OK\nset-cookie: a=b\n"),
    ])
    func theRightOneFits(_ kind: FileKind, _ text: String) {
        #expect(kind.fits(Array(text.utf8)))
    }
}
