import HaulCore

/// Digests that the whole file is expected to have: the user's, and those that the server volunteers.
struct ExpectedDigests: Sendable {
    private let given: [ContentDigest]
    private let volunteered: [ContentDigest]

    /// Puts together what a request and answers say.
    init(_ request: DownloadRequest, volunteered: [ContentDigest]) {
        given = request.checksums.map(\.digest)
        self.volunteered = volunteered
    }

    /// Whether there are none.
    var isEmpty: Bool { given.isEmpty && volunteered.isEmpty }

    /// All of them, the user's first.
    var all: [ContentDigest] { given + volunteered }

    /// Their algorithms, each once.
    var algorithms: [ContentDigest.Algorithm] {
        if isEmpty { return [] }
        let expected = Set(all.map(\.algorithm))
        return ContentDigest.Algorithm.allCases.filter(expected.contains)
    }

    /// Compares them with what was computed.
    func compare(_ actual: [ContentDigest]) -> DigestComparison {
        DigestComparison(actual: actual, given: given, volunteered: volunteered)
    }

    /// What a comparison proved.
    func words(for comparison: DigestComparison) -> [String] {
        comparison.proven.map { digest in
            digest.algorithm.rawValue + (given.contains(digest) ? "" : " (the server's)")
        }
    }
}
