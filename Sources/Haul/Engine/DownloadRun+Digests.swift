import HaulCore

/// Digests of the whole file: the user's, and those that the server volunteers.
extension DownloadRun {
    private var expected: ExpectedDigests { ExpectedDigests(engine.request, volunteered: volunteeredDigests) }

    /// All that are expected, the user's first.
    var expectedDigests: [ContentDigest] { expected.all }

    /// Digests that need the bytes; the CRC-32C of the whole is made of those of its ranges.
    var hashedAlgorithms: [ContentDigest.Algorithm] { expectedAlgorithms.filter { $0 != .crc32c } }

    /// Algorithms of those that are expected, each once.
    var expectedAlgorithms: [ContentDigest.Algorithm] { expected.algorithms }

    /// Compares what was computed with what is expected, and says which word of the server the user's overrules.
    func compare(_ digests: [ContentDigest]) -> DigestComparison {
        let comparison = expected.compare(digests)
        guard comparison.contradiction == nil else { return comparison }
        for digest in comparison.overruled {
            let notice = "the server says that \(digest.algorithm.rawValue) is \(digest.hex), which is wrong: "
            engine.sink.events.yield(.notice(notice + "the file is what the given checksum says"))
        }
        return comparison
    }

    /// What a comparison proved.
    func words(for comparison: DigestComparison) -> [String] { expected.words(for: comparison) }
}
