import HaulCore
import Testing

@Suite struct ContentDigestTests {
    @Test(arguments: ContentDigest.Algorithm.allCases, UInt64(1)...8)
    func readsWhatItPrints(algorithm: ContentDigest.Algorithm, seed: UInt64) throws {
        var random = CoreRandom(seed: seed)
        let bytes = (0..<algorithm.length).map { _ in UInt8.random(in: 0...255, using: &random) }
        let digest = try #require(ContentDigest(algorithm, bytes: bytes))
        let names = [algorithm.rawValue, algorithm.rawValue.uppercased(), algorithm.rawValue.filter { $0 != "-" }]
        for name in names {
            for mark in ["=", ":"] {
                for hex in [digest.hex, digest.hex.uppercased()] {
                    #expect(try ContentDigest(name + mark + hex) == digest)
                }
            }
        }
        #expect(digest.hex.utf8.count == algorithm.length * 2)
        #expect(ContentDigest(algorithm, bytes: bytes + [0]) == nil)
        #expect(ContentDigest(algorithm, bytes: bytes.dropLast()) == nil)
    }

    @Test(arguments: [
        "", "=", "md5", "md5=", "d41d8cd98f00b204e9800998ecf8427e", "md5=d41d8cd98f00b204e9800998ecf8427",
        "md5=d41d8cd98f00b204e9800998ecf8427g", "md5=d41d8cd98f00b204e9800998ecf8427e00", "sha3=00",
        "md5= d41d8cd98f00b204e9800998ecf8427e", "crc32c=é1234567",
    ])
    func refusesOthers(text: String) {
        #expect(throws: ContentDigest.Malformed.self) { try ContentDigest(text) }
    }
}
