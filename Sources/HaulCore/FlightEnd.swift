/// How a request ended, after its bytes were written and recorded.
package struct FlightEnd: Sendable {
    /// Offset after its last byte on disk; everything from the flight's start to here counts.
    package var position: Int64
    /// Why it ended.
    package var cause: Cause
    /// Whether the request had gone to an address that a redirect named.
    package var wasRedirected: Bool

    /// Makes an end.
    package init(position: Int64, cause: Cause, wasRedirected: Bool = false) {
        self.position = position
        self.cause = cause
        self.wasRedirected = wasRedirected
    }

    /// Why a request ended.
    package enum Cause: Sendable {
        /// The answer, or the part of it that was wanted, is here.
        case complete
        /// The answer is here and its end is the end of the file, whose size nobody had said.
        case wholeFile
        /// The answer was not what may be written.
        case refused(AnswerRefusal)
        /// The connection failed.
        case broke(TransportError)
        /// The scheduler ended it.
        case aborted
    }
}
