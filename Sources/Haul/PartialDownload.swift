/// What an unfinished download has left on disk.
public struct PartialDownload: Hashable, Sendable {
    /// Path that the finished file will have.
    public var path: String
    /// Path of the partial file.
    public var partialPath: String
    /// Path of its journal; nil if there is none, as for a file that one request brings.
    public var journalPath: String?
    /// Size of the finished file in bytes; nil if no server has said it.
    public var size: Int64?
    /// Bytes that are recorded as finished: what the next run does not fetch again.
    public var finished: Int64 = 0
    /// Where they are, ascending, half-open.
    public var ranges: [Range<Int64>] = []
    /// Address that it was fetched from, without query; nil without a journal.
    public var url: String?
    /// Whether that address had a query, which is not kept.
    public var hadQuery = false
    /// `ETag` of the version; nil if there was none.
    public var entityTag: String?
    /// `Last-Modified` of the version; nil if there was none.
    public var lastModified: String?
    /// Media type without parameters; nil if there was none.
    public var mediaType: String?
    /// When something was written last, in seconds since 1970.
    public var modificationTime: Int64
    /// Why something or everything of it does not count, in words; nil if all counts.
    public var problem: String?

    /// Makes a description of a partial that holds nothing.
    ///
    /// - Parameters:
    ///   - path: path that the finished file will have.
    ///   - partialPath: path of the partial file.
    ///   - modificationTime: when something was written last, in seconds since 1970.
    public init(path: String, partialPath: String, modificationTime: Int64) {
        self.path = path
        self.partialPath = partialPath
        self.modificationTime = modificationTime
    }
}
