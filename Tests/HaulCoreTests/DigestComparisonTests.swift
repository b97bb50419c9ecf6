import HaulCore
import Testing

@Suite struct DigestComparisonTests {
    private static let sha = ServerDigestsTests.sha256Hex
    private static let otherSHA = String(repeating: "0", count: 64)
    private static let md5 = ServerDigestsTests.md5Hex
    private static let otherMD5 = String(repeating: "0", count: 32)

    private func digest(_ hex: String) throws -> ContentDigest {
        try ContentDigest((hex.count == 64 ? "sha-256=" : "md5=") + hex)
    }

    /// The bytes have the SHA-256 and the MD5; what is given, what is volunteered, and what each comes to.
    @Test(
        arguments: [
            ([], [], [], nil, []),
            ([sha], [], [sha], nil, []),
            ([otherSHA], [], [], otherSHA, []),
            ([], [sha, md5], [sha, md5], nil, []),
            ([], [sha, otherMD5], [sha], otherMD5, []),
            ([sha], [sha], [sha], nil, []),
            ([sha], [md5], [sha, md5], nil, []),
            ([sha], [otherMD5], [sha], nil, [otherMD5]),
            ([sha], [otherSHA], [sha], nil, [otherSHA]),
            ([otherSHA], [md5], [md5], otherSHA, []),
            ([sha, otherMD5], [otherSHA], [sha], otherMD5, [otherSHA]),
        ] as [([String], [String], [String], String?, [String])])
    func theUsersWordCountsMore(
        given: [String], volunteered: [String], proven: [String], contradiction: String?, overruled: [String]
    ) throws {
        let comparison = DigestComparison(
            actual: [try digest(Self.sha), try digest(Self.md5)], given: try given.map(digest),
            volunteered: try volunteered.map(digest))
        #expect(comparison.proven.map(\.hex) == proven)
        #expect(comparison.contradiction?.hex == contradiction)
        #expect(comparison.overruled.map(\.hex) == overruled)
    }

    @Test func whatWasNotComputedProvesOnlyAgainstTheUsers() throws {
        let volunteered = DigestComparison(actual: [], given: [], volunteered: [try digest(Self.sha)])
        #expect(volunteered.contradiction == nil && volunteered.proven.isEmpty)
        #expect(DigestComparison(actual: [], given: [try digest(Self.sha)], volunteered: []).contradiction != nil)
    }
}
