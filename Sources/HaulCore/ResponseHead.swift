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

    /// Whether nothing in HTTP/1.1 tells where the body of an answer to GET ends but the end of the connection (RFC 9112
    /// §6.3).
    package var bodyEndsWithConnection: Bool {
        guard status >= 200, status != 204, status != 304 else { return false }
        let codings = fields.list("Transfer-Encoding")
        guard !codings.contains(where: { HTTPFields.equal($0, "chunked") }) else { return false }
        return !codings.isEmpty || fields["Content-Length"] == nil
    }
}
