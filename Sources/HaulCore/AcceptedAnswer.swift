/// Where the body of an answer belongs in the file, and what the answer tells about the file.
package struct AcceptedAnswer: Sendable, Hashable {
    /// File offset of the body's first byte; may lie before what was asked for, and the caller drops the early part.
    package var start: Int64
    /// File offset after the body's last byte; nil if unknown, as in a chunked or close-delimited 200.
    package var end: Int64?
    /// Whether the body is a part with a stated place (206).
    package var isPartial: Bool
    /// The file, as this answer describes it.
    package var resource: RemoteResource
    /// Size of the whole as the server counts, where `resource` is of a slice; see `ResourceSlice`.
    package var wholeSize: Int64?

    /// Makes an answer.
    package init(start: Int64, end: Int64?, isPartial: Bool, resource: RemoteResource) {
        self.start = start
        self.end = end
        self.isPartial = isPartial
        self.resource = resource
    }
}
