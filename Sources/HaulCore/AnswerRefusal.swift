/// Why no byte of an answer may be written, at least not where it was wanted.
package enum AnswerRefusal: Error, Hashable, Sendable {
    /// The resource is elsewhere: 301, 302, 303, 307 or 308 with a `Location` (RFC 9110 §15.4).
    case redirect(location: String)
    /// Any 4xx or 5xx but 416, and any 1xx, 2xx or 3xx that carries no file; `retryAfter` if the server asks to wait.
    case status(Int, retryAfter: Duration?)
    /// 416: nothing is at the offset asked for; `size` if the answer gives it (RFC 9110 §15.5.17).
    case unsatisfiable(size: Int64?)
    /// The whole file although a part was asked for that does not begin at 0; the same version as far as is seen.
    case wholeBody(AcceptedAnswer)
    /// A validator or the size differs from what is known; the answer in hand if its body could be used for the new
    /// version.
    case changed(reason: String, AcceptedAnswer?)
    /// The body is in a content coding (RFC 9110 §8.4), or is not although the file is; then the coding is `identity`.
    case encoded(coding: String)
    /// Several parts in one body (`multipart/byteranges`, RFC 9110 §14.6), which was not asked for.
    case multipart
    /// The body's place cannot be known or is not where bytes are wanted, or it is a page in place of a file.
    case misplaced(reason: String)
}

extension AnswerRefusal {
    /// Whether the same request without a range may be answered with the file.
    package var mayMeanRange: Bool {
        switch self {
        case .unsatisfiable: true
        case .status(let status, _): Self.statusesOfRanges.contains(status)
        // Much copied code takes the end of a part from the request, and not from the file.
        case .misplaced, .multipart, .encoded: true
        case .redirect, .wholeBody, .changed: false
        }
    }

    /// Statuses that servers give to a range where 416 or the whole file is meant: webfs says 400 to every range that
    /// ends behind the file's end, others to every range.
    private static let statusesOfRanges = [400, 406, 422, 501]

    /// What came instead of the wanted bytes, in words.
    package var summary: String {
        switch self {
        case .redirect(let location): "a redirect to '\(location)'"
        case .status(let status, _): "HTTP \(status)"
        case .unsatisfiable: "HTTP 416: the server has no such range"
        case .wholeBody: "the whole file came in place of a range"
        case .changed(let reason, _): "the resource changed: \(reason)"
        case .encoded(let coding): "the answer is compressed (\(coding)), although that was not asked for"
        case .multipart: "an answer in parts (multipart/byteranges) came, which was not asked for"
        case .misplaced(let reason): "the answer contradicts itself or the request: \(reason)"
        }
    }
}
