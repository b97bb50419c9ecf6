/// What the digests of the finished bytes say about those that were expected of them.
///
/// The user's word counts more than the server's: where all that the user gave match, a server's that does not is wrong
/// itself.
package struct DigestComparison: Hashable, Sendable {
    /// Expected digests that match, the user's first.
    package private(set) var proven: [ContentDigest] = []
    /// The first expected digest that says the bytes are wrong, nil if none does.
    package private(set) var contradiction: ContentDigest?
    /// Digests of the server that do not match although the user's do.
    package private(set) var overruled: [ContentDigest] = []

    /// Compares.
    ///
    /// - Parameters:
    ///   - actual: what was computed of the bytes.
    ///   - given: what the user expects; one that was not computed counts as a contradiction.
    ///   - volunteered: what the server said; what was not computed is passed over.
    package init(actual: [ContentDigest], given: [ContentDigest], volunteered: [ContentDigest]) {
        proven = given.filter(actual.contains)
        contradiction = given.first { !actual.contains($0) }
        for digest in volunteered where !given.contains(digest) {
            guard let computed = actual.first(where: { $0.algorithm == digest.algorithm }) else { continue }
            if computed == digest {
                proven.append(digest)
            } else if given.isEmpty {
                contradiction = contradiction ?? digest
            } else {
                overruled.append(digest)
            }
        }
    }
}
