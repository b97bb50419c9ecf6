/// How a server behaves for one address, as far as it matters to downloads.
public struct ServerReport: Hashable, Sendable {
    /// What comes of a request for a range.
    public enum Ranges: String, Hashable, Sendable {
        /// Ranges are served.
        case served
        /// `Accept-Ranges: bytes` promises them, and the whole file comes all the same.
        case onlyAdvertised = "only advertised"
        /// The whole file comes, and nothing was promised.
        case none
    }

    /// How well a validator tells two versions apart (RFC 9110 §8.8.1).
    public enum ValidatorStrength: String, Hashable, Sendable {
        /// Bytes of two versions can't be mixed unseen: the server itself refuses to (`If-Range`).
        case strong
        /// Versions are compared, but two may look the same.
        case weak
        /// There is nothing to compare.
        case none
    }

    /// Whether one more connection got an answer while the others were busy.
    public struct Admission: Hashable, Sendable {
        /// Which connection it was: the second, the third, the fourth.
        public var number: Int
        /// Why not, in words; nil if it was admitted.
        public var refusal: String?
    }

    /// The addresses that were asked, in order and without queries: the given one, and where redirects led.
    public var addresses: [String] = []
    /// Address of the machine that answered last, nil if unknown.
    public var remoteAddress: String?
    /// The protocol as spoken, such as `HTTP/1.1`; nil if unknown.
    public var protocolName: String?
    /// Status of the last answer.
    public var status = 0
    /// From the first request to the last answer's head, look-ups, handshakes and redirects included.
    public var timeToFirstByte: Duration = .zero
    /// Size of the file in bytes; nil if the server does not say.
    public var size: Int64?
    /// Media type without parameters; nil if there is none.
    public var mediaType: String?
    /// What comes of a request for a range.
    public var ranges = Ranges.none
    /// `ETag` as it came; nil if there is none.
    public var entityTag: String?
    /// `Last-Modified` as it came; nil if there is none.
    public var lastModified: String?
    /// How well the two tell versions apart.
    public var validatorStrength = ValidatorStrength.none
    /// Digests of the whole file that the server volunteers.
    public var digests: [Checksum] = []
    /// Name that a download into a directory would get.
    public var suggestedName = ""
    /// What became of a second, third and fourth connection; empty when ranges are not served.
    public var admissions: [Admission] = []
    /// Number of connections to use; nil is to let the download find it out.
    public var advisedConnections: Int? = 1
    /// Why that many, in one line.
    public var advice = ""

    /// The last address, where the bytes come from.
    public var finalAddress: String { addresses.last ?? "" }

    /// Makes an empty report.
    public init() {}
}
