package import HaulCore

/// Digests of a file's pieces, such as a metalink gives (RFC 5854 §4.2.10).
public struct PieceChecksums: Hashable, Sendable {
    package let digests: PieceDigests

    package init(_ digests: PieceDigests) { self.digests = digests }

    /// Makes digests of pieces.
    ///
    /// - Parameters:
    ///   - length: length of each piece but the last in bytes.
    ///   - checksums: one for each piece in file order, all of one algorithm.
    /// - Throws: `DownloadError` with code `invalidRequest` when the length is not above 0, there is no piece, or their
    ///   algorithms differ.
    public init(length: Int64, _ checksums: [Checksum]) throws(DownloadError) {
        guard let algorithm = checksums.first?.digest.algorithm,
            checksums.allSatisfy({ $0.digest.algorithm == algorithm }),
            let digests = PieceDigests(algorithm, length: length, values: checksums.flatMap(\.digest.bytes))
        else { throw DownloadError(.invalidRequest, "checksums of pieces need a length, and one algorithm for all") }
        self.digests = digests
    }

    /// Length of each piece but the last in bytes.
    public var length: Int64 { digests.length }
    /// Number of pieces.
    public var count: Int { digests.count }
    /// Name of the algorithm, such as `sha-256`.
    public var algorithm: String { digests.algorithm.rawValue }
}
