/// Why a download did not end in a finished file.
///
/// The one error type of the library. `code` is an open set: switch over the static members that matter and treat the
/// rest by `message`, which says in one line what happened and what to do.
public struct DownloadError: Error, Sendable {
    /// What kind of failure it was.
    public var code: Code
    /// One line without a final full stop: what happened, and what to do about it.
    public var message: String
    /// The address concerned with its query removed, since queries may be signed; nil if none is.
    public var url: String?
    /// The bytes concerned, half-open; nil if no single range is.
    public var range: Range<Int64>?
    /// What lies underneath: the errno or libcurl's words; nil if nothing does.
    public var cause: String?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - message: one line: what happened and what to do.
    ///   - url: the address concerned, redacted.
    ///   - range: the bytes concerned.
    ///   - cause: what lies underneath.
    public init(
        _ code: Code, _ message: String, url: String? = nil, range: Range<Int64>? = nil, cause: String? = nil
    ) {
        self.code = code
        self.message = message
        self.url = url
        self.range = range
        self.cause = cause
    }

    /// A kind of failure.
    ///
    /// New kinds may come; existing ones keep their meaning.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case invalidRequest, unreachable, tls, refused, resourceChanged, integrity, fileSystem, diskFull
            case partialInUse, outputExists, outputClosed, timedOut, cancelled, other
        }
        private let kind: Kind
        /// HTTP status for `refused`, nil for every other kind.
        public let status: Int?

        private init(_ kind: Kind, status: Int? = nil) {
            self.kind = kind
            self.status = status
        }

        /// The request can't be carried out as given: address, header, checksum or option is malformed.
        public static let invalidRequest = Code(.invalidRequest)
        /// No connection, or connections that kept breaking, after all retries.
        public static let unreachable = Code(.unreachable)
        /// The server's certificate or the TLS handshake was not accepted.
        public static let tls = Code(.tls)
        /// The server answered, and its answer is no.
        ///
        /// - Parameter status: HTTP status of the answer (RFC 9110 §15).
        /// - Returns: the kind.
        public static func refused(status: Int) -> Code { Code(.refused, status: status) }
        /// The resource changed under way more often than a restart can follow.
        public static let resourceChanged = Code(.resourceChanged)
        /// What arrived is not what the publisher says it is.
        public static let integrity = Code(.integrity)
        /// A file could not be opened, written, synced or renamed.
        public static let fileSystem = Code(.fileSystem)
        /// No room: ENOSPC, EDQUOT or EFBIG.
        public static let diskFull = Code(.diskFull)
        /// Another download is on this file, in this process or another; its partial is locked (flock(2)).
        public static let partialInUse = Code(.partialInUse)
        /// The destination exists and is something else.
        public static let outputExists = Code(.outputExists)
        /// Nobody reads any more what goes to a descriptor: the other end of the pipe was closed.
        public static let outputClosed = Code(.outputClosed)
        /// The time for the whole download ran out; what was received is kept for the next time.
        public static let timedOut = Code(.timedOut)
        /// The caller cancelled; what was received is kept for the next time, unless it was to be discarded.
        public static let cancelled = Code(.cancelled)
        /// Something else.
        public static let other = Code(.other)

        /// The kind's name, with the status where there is one.
        public var description: String { status.map { "\(kind.rawValue)(\($0))" } ?? kind.rawValue }
    }
}

extension DownloadError: CustomStringConvertible {
    /// The message, without the code.
    public var description: String { message }
}
