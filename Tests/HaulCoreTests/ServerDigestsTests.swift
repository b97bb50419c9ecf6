import HaulCore
import Testing

@Suite struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
        ("Zm9vYmFy", "foobar"), ("Zg", "f"), ("Zm8", "fo"),
    ])
    func decodes(text: String, plain: String) {
        #expect(Base64.decode(text) == Array(plain.utf8))
    }

    @Test(arguments: ["Z", "Zg=", "Zg===", "=", "====", "Zm9v=", "Zm 9", "Zm9-", "Zm9_", "Zg==Zg==", "Zmé="])
    func refuses(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func knowsItsAlphabet() {
        #expect(Base64.decode("+/+/") == [0xFB, 0xFF, 0xBF])
    }
}

@Suite struct ServerDigestsTests {
    /// The digests of "hello world".
    static let sha256 = "uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek="
    static let sha256Hex = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
    static let md5 = "XrY7u+Ae7tCTyyK7j1rNww=="
    static let md5Hex = "5eb63bbbe01eeed093cb22bb8f5acdc3"
    static let other256 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test(arguments: [
        ("Repr-Digest", "sha-256=:\(sha256):", "sha-256:\(sha256Hex)", [true, true, false]),
        ("Repr-Digest", "sha-256=:\(sha256):;x=1, unixsum=:AAA=:", "sha-256:\(sha256Hex)", [true, true, false]),
        ("Content-Digest", "sha-256=:\(sha256):", "sha-256:\(sha256Hex)", [true, false, false]),
        ("Digest", "SHA-256=\(sha256)", "sha-256:\(sha256Hex)", [true, true, true]),
        ("Digest", "unixsum=30637, sha-256=\(sha256)", "sha-256:\(sha256Hex)", [true, true, true]),
        ("Digest", "sha-256=\(sha256Hex)", "sha-256:\(sha256Hex)", [true, true, true]),
        ("Digest", "MD5=\(md5)", "md5:\(md5Hex)", [true, true, true]),
        (
            "Digest", "SHA=Kq5sNclPz7QV2+lfQIuc6R7oRu0=", "sha-1:2aae6c35c94fcfb415dbe95f408b9ce91ee846ed",
            [true, true, true]
        ),
        ("Digest", "CRC32c=c9942137", "crc32c:c9942137", [true, true, true]),
        ("Content-MD5", md5, "md5:\(md5Hex)", [true, false, false]),
        ("x-goog-hash", "crc32c=yZRlqg==", "crc32c:c99465aa", [true, true, false]),
        ("X-Amz-Checksum-Sha256", sha256, "sha-256:\(sha256Hex)", [true, false, false]),
        (
            "x-amz-checksum-sha1", "Kq5sNclPz7QV2+lfQIuc6R7oRu0=", "sha-1:2aae6c35c94fcfb415dbe95f408b9ce91ee846ed",
            [true, false, false]
        ),
        ("x-amz-checksum-crc32c", "yZRlqg==", "crc32c:c99465aa", [true, false, false]),
        ("X-Linked-ETag", "\"\(sha256Hex)\"", "sha-256:\(sha256Hex)", [true, true, true]),
    ])
    func readsByBearer(name: String, value: String, digest: String, bearers: [Bool]) throws {
        let expected = try ContentDigest(digest)
        let fields = HTTPFields([HTTPField(name, value)])
        for (bearer, counts) in zip([ServerDigests.Bearer.whole, .part, .redirect], bearers) {
            #expect(ServerDigests.read(fields, from: bearer) == (counts ? [expected] : []))
        }
        let coded = HTTPFields([HTTPField("Content-Encoding", "gzip"), HTTPField(name, value)])
        #expect(ServerDigests.read(coded, from: .whole).isEmpty)
    }

    @Test(arguments: [
        ("Repr-Digest", "sha-256=:AAAA:"), ("Repr-Digest", "sha-256=::"), ("Repr-Digest", "sha-256"),
        ("Repr-Digest", "="),
        ("Repr-Digest", "adler=:AAAAAA==:"), ("Digest", "sha-256=:"), ("Digest", "sha-256=\(md5)"),
        ("x-amz-checksum-sha256", "\(sha256)-3"), ("X-Linked-ETag", "\"2aae6c35c94fcfb415dbe95f408b9ce91ee846ed\""),
        ("X-Linked-ETag", "\"" + String(repeating: "g", count: 64) + "\""), ("Content-MD5", "é"), ("ETag", sha256Hex),
    ])
    func ignores(name: String, value: String) {
        #expect(ServerDigests.read(HTTPFields([HTTPField(name, value)]), from: .whole).isEmpty)
    }

    @Test func readsBothOfGoogle() throws {
        let one = HTTPFields([HTTPField("x-goog-hash", "crc32c=yZRlqg==,md5=\(Self.md5)")])
        let two = HTTPFields([HTTPField("x-goog-hash", "crc32c=yZRlqg=="), HTTPField("x-goog-hash", "md5=\(Self.md5)")])
        #expect(ServerDigests.read(one, from: .part).count == 2)
        #expect(ServerDigests.read(two, from: .part) == ServerDigests.read(one, from: .part))
        var stored = one
        stored.append("x-goog-stored-content-encoding", "gzip")
        #expect(ServerDigests.read(stored, from: .part).isEmpty)
    }

    @Test(arguments: [
        ("FULL_OBJECT", [true, true, false]), (" full_object ", [true, true, false]),
        ("COMPOSITE", [false, false, false]), ("", [false, false, false]),
    ])
    func theTypeSaysWhatAmazonsDigestIsOf(type: String, bearers: [Bool]) {
        var fields = HTTPFields([HTTPField("x-amz-checksum-sha256", Self.sha256)])
        fields.append("x-amz-checksum-type", type)
        for (bearer, counts) in zip([ServerDigests.Bearer.whole, .part, .redirect], bearers) {
            #expect(ServerDigests.read(fields, from: bearer).isEmpty != counts, "\(bearer)")
        }
    }

    @Test func twoValuesRefuteEachOther() {
        let fields = HTTPFields([
            HTTPField("Digest", "sha-256=\(Self.sha256)"), HTTPField("Repr-Digest", "sha-256=:\(Self.other256):"),
            HTTPField("Content-MD5", Self.md5), HTTPField("Digest", "md5=\(Self.md5)"),
        ])
        #expect(ServerDigests.read(fields, from: .whole).map(\.hex) == [Self.md5Hex])
    }
}
