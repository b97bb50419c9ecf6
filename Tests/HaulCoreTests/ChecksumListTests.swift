import Testing

@testable import HaulCore

@Suite struct ChecksumListTests {
    private static let md5 = String(repeating: "ab", count: 16)
    private static let sha256 = String(repeating: "12", count: 32)
    private static let other = String(repeating: "34", count: 32)
    private static let long = String(repeating: "56", count: 64)

    private func digests(_ text: String, _ names: String..., label: String = "SUMS") throws -> [String] {
        try ChecksumList(Array(text.utf8), label: label).digests(for: names).map {
            "\($0.algorithm.rawValue)=\($0.hex)"
        }
    }

    @Test(arguments: [
        "\(sha256)  f.iso", "\(sha256) *f.iso", "\(sha256)\tf.iso", "\(sha256)  ./dist/f.iso\r",
        "\u{FEFF}\(sha256)  f.iso",
        "SHA256 (f.iso) = \(sha256)", "SHA256(f.iso)= \(sha256)", "SHA2-256(dir/f.iso)= \(sha256)", sha256,
        "# comment\n\n\(other)  g.iso\n\(sha256.uppercased())  f.iso\n\(sha256)  f.iso",
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n\(sha256)  f.iso\n-----BEGIN PGP SIGNATURE-----\n\(other)  f.iso",
    ])
    func finds(_ text: String) throws {
        #expect(try digests(text, "f.iso") == ["sha-256=\(Self.sha256)"])
    }

    @Test func escapesAndSeveralAlgorithms() throws {
        #expect(try digests("\\\(Self.md5)  a\\\\b\\nc", "a\\b\nc") == ["md5=\(Self.md5)"])
        #expect(
            try digests("MD5 (f (1)) = \(Self.md5)\nSHA256 (f (1)) = \(Self.sha256)", "f (1)") == [
                "md5=\(Self.md5)", "sha-256=\(Self.sha256)",
            ])
        #expect(try digests("\(Self.long)  f", "f") == ["sha-512=\(Self.long)"])
        #expect(try digests("\(Self.long)  f", "f", label: "B2SUMS") == ["blake2b=\(Self.long)"])
        #expect(try digests("BLAKE2b (f) = \(Self.long)", "f") == ["blake2b=\(Self.long)"])
        #expect(try digests("\(Self.sha256)  f", "renamed", "f") == ["sha-256=\(Self.sha256)"])
    }

    @Test(arguments: [
        ("\(other)  g", "SUMS: none of its 1 entries is for 'f': check the list, or use --checksum"),
        ("hello\nworld", "SUMS:1: this is no list of checksums"),
        ("", "SUMS: this is no list of checksums"),
        ("\(other)  g\n1234  f", "SUMS:2: the line of 'f' is no checksum: 'HEX  NAME' is needed"),
        ("\(sha256)  f\n\n\(other)  f", "SUMS:3: another sha-256 for 'f' than in line 1: use --checksum to say which"),
        ("\(sha256)\n\(other)", "SUMS: none of its 2 entries is for 'f': check the list, or use --checksum"),
        ("a\0b", "SUMS: this is no list of checksums but binary data"),
    ])
    func refuses(_ text: String, _ reason: String) {
        #expect(throws: ChecksumList.Problem(reason: reason)) { try digests(text, "f") }
    }
}
