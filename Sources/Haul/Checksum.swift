package import HaulCore

/// A digest that a publisher gives for a whole file.
public struct Checksum: Hashable, Sendable {
    package let digest: ContentDigest

    package init(_ digest: ContentDigest) { self.digest = digest }

    /// Reads `ALGO=HEX` or `ALGO:HEX`; the algorithm is one of md5, sha-1, sha-256, sha-384, sha-512, blake2b, crc32c,
    /// in any case and with or without its hyphen.
    ///
    /// - Parameter text: algorithm and hexadecimal digits.
    /// - Throws: `DownloadError` with code `invalidRequest` when algorithm, digits or length are wrong.
    public init(_ text: String) throws(DownloadError) {
        do {
            digest = try ContentDigest(text)
        } catch {
            throw DownloadError(.invalidRequest, error.reason)
        }
    }

    /// The SHA-256 digest with these hexadecimal digits.
    ///
    /// - Parameter hex: 64 digits.
    /// - Returns: the digest to expect.
    /// - Throws: `DownloadError` with code `invalidRequest` when they are not 64 hexadecimal digits.
    public static func sha256(_ hex: String) throws(DownloadError) -> Checksum { try Checksum("sha-256=" + hex) }
}

extension Checksum: CustomStringConvertible {
    /// Name of the algorithm, such as `sha-256`.
    public var algorithm: String { digest.algorithm.rawValue }
    /// The value in lower-case hexadecimal digits.
    public var hex: String { digest.hex }
    /// Algorithm and value, such as `sha-256=9f86…`.
    public var description: String { "\(algorithm)=\(hex)" }
}
