import HaulCore
import HaulSystem
import Testing

@Suite("Message digests")
struct MessageDigestTests {
    private static let values: [(ContentDigest.Algorithm, String)] = [
        (.md5, "900150983cd24fb0d6963f7d28e17f72"),
        (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            .sha384,
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        ),
        (
            .sha512,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
        (
            .blake2b,
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                + "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
        ),
        (.crc32c, "364b3fb7"),
    ]

    @Test("Values of \"abc\", in one and in several updates", arguments: values)
    func knownValues(algorithm: ContentDigest.Algorithm, hex: String) throws {
        let bytes = Array("abc".utf8)
        #expect(try MessageDigest.digest(algorithm, of: bytes.span.bytes).hex == hex)
        var digest = try MessageDigest(algorithm)
        for byte in bytes { digest.update([byte].span.bytes) }
        #expect(try digest.value().hex == hex)
    }

    @Test("A copy goes its own way, and a value is no end", arguments: ContentDigest.Algorithm.allCases)
    func copies(algorithm: ContentDigest.Algorithm) throws {
        var digest = try MessageDigest(algorithm)
        digest.update(Array("ab".utf8).span.bytes)
        let before = try digest.value()
        var copy = try MessageDigest(copying: digest)
        copy.update(Array("xx".utf8).span.bytes)
        #expect(try digest.value() == before)
        digest.update(Array("c".utf8).span.bytes)
        #expect(try digest.value() == MessageDigest.digest(algorithm, of: Array("abc".utf8).span.bytes))
        #expect(try copy.value() == MessageDigest.digest(algorithm, of: Array("abxx".utf8).span.bytes))
    }
}
