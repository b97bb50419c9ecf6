import HaulCore

/// Digests of the whole file: the user's, and those that the server volunteers.
extension DownloadRun {
    /// What the user says.
    private var givenDigests: [ContentDigest] { engine.request.checksums.map(\.digest) }

    /// All that are expected, the user's first.
    var expectedDigests: [ContentDigest] { givenDigests + volunteeredDigests }

    /// Their algorithms, each once.
    var expectedAlgorithms: [ContentDigest.Algorithm] {
        let digests = expectedDigests
        guard !digests.isEmpty else { return [] }
        let expected = Set(digests.map(\.algorithm))
        return ContentDigest.Algorithm.allCases.filter(expected.contains)
    }

    /// Digests that need the bytes; the CRC-32C of the whole is made of those of its ranges.
    var hashedAlgorithms: [ContentDigest.Algorithm] { expectedAlgorithms.filter { $0 != .crc32c } }

    /// Compares what was computed with what is expected, and says which word of the server the user's overrules.
    func compare(_ digests: [ContentDigest]) -> DigestComparison {
        let comparison = DigestComparison(actual: digests, given: givenDigests, volunteered: volunteeredDigests)
        guard comparison.contradiction == nil else { return comparison }
        for digest in comparison.overruled {
            let notice = "the server says that \(digest.algorithm.rawValue) is \(digest.hex), which is wrong: "
            engine.sink.events.yield(.notice(notice + "the file is what the given checksum says"))
        }
        return comparison
    }

    /// What a comparison proved.
    func words(for comparison: DigestComparison) -> [String] {
        comparison.proven.map { digest in
            digest.algorithm.rawValue + (givenDigests.contains(digest) ? "" : " (the server's)")
        }
    }
}
