/// A file that the origin serves, and how it behaves when asked for it.
package struct OriginResource: Hashable, Sendable {
    /// Path in the address, beginning with `/`.
    package var path: String
    /// Number of bytes.
    package var size: Int64
    /// What the bytes are computed from.
    package var seed: UInt64
    /// How they are computed.
    package var pattern: OriginPattern
    /// Value of `ETag` with its quotes, nil for none.
    package var etag: String?
    /// Value of `Last-Modified`, in seconds since 1970, nil for none.
    package var lastModified: Int64?
    /// Value of `Content-Type`, nil for none.
    package var mediaType: String?
    /// Value of `Content-Disposition`, nil for none.
    package var disposition: String?
    /// More field lines for answers of 200 and 206, such as digests.
    package var fields: [OriginField]
    /// What the origin does besides what it should, applied in order.
    package var behaviors: [OriginBehavior]

    /// Makes a resource; by default one of an honest, complete kind.
    package init(
        _ path: String, size: Int64, seed: UInt64 = 1, pattern: OriginPattern = .mixed, etag: String? = "\"v1\"",
        lastModified: Int64? = 1_700_000_000, mediaType: String? = "application/octet-stream",
        disposition: String? = nil, fields: [OriginField] = [], behaviors: [OriginBehavior] = []
    ) {
        self.path = path
        self.size = size
        self.seed = seed
        self.pattern = pattern
        self.etag = etag
        self.lastModified = lastModified
        self.mediaType = mediaType
        self.disposition = disposition
        self.fields = fields
        self.behaviors = behaviors
    }

    /// Makes a resource with one behaviour.
    package init(_ path: String, size: Int64, seed: UInt64 = 1, behavior: OriginBehavior) {
        self.init(path, size: size, seed: seed, behaviors: [behavior])
    }

    /// What the file's bytes are.
    package var content: OriginContent { OriginContent(seed: seed, pattern: pattern) }
}
