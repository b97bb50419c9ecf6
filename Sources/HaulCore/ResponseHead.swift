/// Status and fields of a final response: 1xx heads are swallowed and redirects are not followed by the transport.
package struct ResponseHead: Hashable, Sendable {
    /// Status code (RFC 9110 §15).
    package var status: Int
    /// Field lines, without trailers.
    ///
    /// The transport reads a value as UTF-8 if it is that, else as Latin-1 (RFC 9110 §5.5 leaves it open).
    package var fields: HTTPFields

    /// Makes a head.
    package init(status: Int, fields: HTTPFields) {
        self.status = status
        self.fields = fields
    }
}
