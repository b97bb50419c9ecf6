import HaulCore

/// What it takes to go on with a stopped download in another process: opaque, a few hundred bytes, without secrets.
///
/// It names the partial and the version that it is of; the bytes themselves, and what is known of them, stay in the
/// partial and its journal. Addresses are kept without query, name and password, which may be secret, and headers not at
/// all. Going on makes the same check of identity as any other run.
public struct ResumeToken: Hashable, Sendable {
    /// Path that the finished file will have.
    public let path: String
    /// Directory of partial and journal; nil is beside the finished file.
    public let temporaryDirectory: String?
    /// Address that was fetched from, without its query.
    public let url: String
    /// Whether that address had a query: then `DownloadRequest.init(resuming:from:)` must be given the whole one.
    public let needsAddress: Bool
    /// Size of the file in bytes; nil if no server has said it.
    public let size: Int64?
    let range: DownloadRequest.RequestedRange?
    let entityTag: String?
    let lastModified: String?

    /// The token of a partial that was found on disk; nil if it has no journal and nothing can be gone on from.
    ///
    /// - Parameters:
    ///   - partial: what was found.
    ///   - request: the request that it is of, as far as it asks for a range; nil is the whole file.
    public init?(_ partial: PartialDownload, of request: DownloadRequest? = nil) {
        guard let url = partial.url, partial.finished > 0 else { return nil }
        path = partial.path
        let beside = DownloadPaths(final: partial.path).part
        temporaryDirectory = partial.partialPath == beside ? nil : PathParts(partial.partialPath).parent
        self.url = url
        needsAddress = partial.hadQuery
        size = partial.size
        range = request?.range
        entityTag = partial.entityTag
        lastModified = partial.lastModified
    }

    /// Why a partial is not the one that this token speaks of; nil if nothing speaks against it.
    func contradiction(_ header: JournalHeader) -> String? {
        if let size, let theirs = header.size, size != theirs { return "its size is another one" }
        if let entityTag, let theirs = header.entityTag, entityTag != theirs { return "its ETag is another one" }
        return nil
    }
}

// MARK: - As text

extension ResumeToken: LosslessStringConvertible {
    private static let prefix = "haul1-"
    /// Longest token that is read, in bytes.
    private static let longest = 64 << 10

    /// Reads a token; nil if it is none, or damaged.
    ///
    /// - Parameter description: what `description` gave.
    public init?(_ description: String) {
        guard description.hasPrefix(Self.prefix), description.utf8.count <= Self.longest,
            let bytes = Base64.decode(description.dropFirst(Self.prefix.count))
        else { return nil }
        var reader = TokenReader(bytes)
        guard reader.isSound, let path = reader.text(), let url = reader.text(), !path.isEmpty, !url.isEmpty,
            let flags = reader.number(), let size = reader.number(), let kind = reader.number(),
            let first = reader.number(), let second = reader.number(), let directory = reader.text(),
            let tag = reader.text(), let date = reader.text(), reader.isAtEnd, size >= -1
        else { return nil }
        self.path = path
        self.url = url
        needsAddress = flags & 1 != 0
        temporaryDirectory = flags & 2 != 0 ? directory : nil
        entityTag = flags & 4 != 0 ? tag : nil
        lastModified = flags & 8 != 0 ? date : nil
        self.size = size < 0 ? nil : size
        switch kind {
        case 0: range = nil
        case 1 where first >= 0 && second > first: range = .bytes(first..<second)
        case 2 where first >= 0: range = .from(first)
        case 3 where first > 0: range = .last(first)
        default: return nil
        }
    }

    /// The token as text: letters, digits and `+/=-`.
    public var description: String {
        var writer = TokenWriter()
        writer.add(path)
        writer.add(url)
        writer.add(
            (needsAddress ? 1 : 0) | (temporaryDirectory == nil ? 0 : 2) | (entityTag == nil ? 0 : 4)
                | (lastModified == nil ? 0 : 8))
        writer.add(size ?? -1)
        let (kind, first, second): (Int64, Int64, Int64) =
            switch range {
            case nil: (0, 0, 0)
            case .bytes(let range): (1, range.lowerBound, range.upperBound)
            case .from(let first): (2, first, 0)
            case .last(let count): (3, count, 0)
            }
        writer.add(kind)
        writer.add(first)
        writer.add(second)
        for text in [temporaryDirectory, entityTag, lastModified] { writer.add(text ?? "") }
        return Self.prefix + Base64.encode(writer.sealed)
    }
}

extension ResumeToken: Codable {
    /// Reads a token from a single text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let token = ResumeToken(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "this is no resume token")
        }
        self = token
    }

    /// Writes the token as a single text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

// MARK: - Going on

extension DownloadRequest {
    /// Makes a request that goes on where a token says.
    ///
    /// Headers, credentials and digests are not in a token: they are to be set again.
    ///
    /// - Parameters:
    ///   - token: where to go on.
    ///   - url: the address, where that had a query, or another one of the same file; nil is the token's.
    /// - Throws: `DownloadError` with code `invalidRequest` when the address had a query and none is given.
    public init(resuming token: ResumeToken, from url: String? = nil) throws(DownloadError) {
        guard url != nil || !token.needsAddress else {
            throw DownloadError(
                .invalidRequest,
                "the address of '\(token.path)' had a query, which tokens do not keep: give the address",
                url: token.url)
        }
        self.init(url ?? token.url, to: .file(token.path))
        range = token.range
        resumption = token
    }
}

extension Download {
    /// What it takes to go on in another process, after `pause()`, `cancel()` or a failure.
    ///
    /// Reads the journal; what is received after that counts as well, since the token only says where it lies.
    ///
    /// - Returns: nil if nothing is on hand, or it can't be gone on from without its server's ranges.
    /// - Throws: `DownloadError` with code `fileSystem` when the journal can't be read.
    public func resumeToken() throws(DownloadError) -> ResumeToken? {
        guard let path = likelyPath else { return nil }
        return try PartialDownload.left(at: path, temporaryDirectory: options.temporaryDirectory).flatMap {
            ResumeToken($0, of: request)
        }
    }
}
