/// One request in an origin's log, and what became of it.
package struct OriginRecord: Sendable {
    /// Number of the TCP connection it came on, counted from 1.
    package let connection: Int
    /// Which request on that connection it was, counted from 1.
    package let place: Int
    /// The request as it came.
    package let request: OriginRequest
    /// Status of the answer, 0 if there was none.
    package let status: Int
    /// When it came, since the origin's start.
    package let started: Duration
    /// Bytes of body sent so far.
    package var bodyBytes: Int64 = 0
    /// When the answer was over, since the origin's start; nil while it goes on.
    package var finished: Duration?

    /// Method of the request.
    package var method: String { request.method }
    /// Path of the request, without the query.
    package var path: String { request.path }
    /// Value of its `Range`, nil for none.
    package var range: String? { request.fields.value("Range") }
    /// Value of its `If-Range`, nil for none.
    package var ifRange: String? { request.fields.value("If-Range") }
}
