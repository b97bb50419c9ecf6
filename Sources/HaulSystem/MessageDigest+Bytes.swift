package import HaulCore

extension MessageDigest {
    /// The digest of some bytes.
    ///
    /// - Parameters:
    ///   - algorithm: which digest.
    ///   - bytes: of what.
    /// - Returns: the digest.
    /// - Throws: as `init(_:)`.
    package static func digest(
        _ algorithm: ContentDigest.Algorithm, of bytes: RawSpan
    ) throws(SystemError) -> ContentDigest {
        var digest = try MessageDigest(algorithm)
        digest.update(bytes)
        return try digest.value()
    }
}
