/// What a journal says about the download it belongs to: enough to recognise the resource, and no secrets.
package struct JournalHeader: Hashable, Sendable {
    /// Size of the file in bytes, nil if no answer has said it yet; of a slice, its length.
    package var size: Int64?
    /// `ETag` as it came, quotes and `W/` included; nil if there was none.
    package var entityTag: String?
    /// `Last-Modified` as it came; nil if there was none.
    package var lastModified: String?
    /// Media type without parameters, in lower case; nil if there was none.
    package var mediaType: String?
    /// Scheme of the address that was asked for.
    package var scheme: String
    /// Host of that address.
    package var host: String
    /// Port of that address.
    package var port: Int
    /// Path of that address, percent-encoded.
    package var path: String
    /// First 8 bytes of the query's SHA-256, nil without a query.
    ///
    /// Queries hold tokens and never reach the disk.
    package var queryHash: UInt64?
    /// Offset in the resource of the file's first byte: 0 unless the file is a slice.
    package var firstByte: Int64 = 0
    /// Size of the resource that the file is a slice of; equal to `size` unless it is.
    package var wholeSize: Int64?
    /// Path of the finished file from the root, if the journal is in another directory; nil is beside it.
    ///
    /// It tells apart files of one name that are bound for different directories.
    package var destination: String?

    /// Makes a header for a download of `url`.
    package init(
        url: ResourceURL, queryHash: UInt64?, size: Int64?, entityTag: String?, lastModified: String?,
        mediaType: String?
    ) {
        self.size = size
        wholeSize = size
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.mediaType = mediaType
        scheme = url.scheme
        host = url.host
        port = url.port
        path = url.path
        self.queryHash = queryHash
    }
}

extension JournalHeader {
    /// Whether the download was asked for at the same scheme, host, port and path; queries may differ, they hold tokens.
    package func isOf(_ url: ResourceURL) -> Bool {
        scheme == url.scheme && host == url.host && port == url.port && path == url.path
    }
}
