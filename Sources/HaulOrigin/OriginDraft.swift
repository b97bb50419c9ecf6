/// An answer that carries a file, while behaviours still change it.
struct OriginDraft: Sendable {
    /// How the body's end is told.
    enum Framing: Sendable {
        case length
        case chunked
        case both
        case close
    }

    /// How `Content-Range` is written in a 206.
    enum RangeField: Sendable {
        case standard
        case shifted(Int64)
        case spelled(OriginSpelling)
        case unknownTotal
        case literal(String?)
    }

    /// The request.
    let visit: OriginVisit
    /// The file as it is now.
    var resource: OriginResource
    /// What the request asks for, after `If-Range` had its say.
    var asked: OriginRangeRequest
    /// How many ranged requests came before.
    let ranged: Int
    /// The bytes that the answer says it carries.
    var range: Range<Int64>
    /// Status, unless a behaviour says otherwise.
    var status: Int
    /// How a range beyond the end is answered.
    var unsatisfied = OriginUnsatisfied.standard
    /// Value of `Accept-Ranges`.
    var acceptRanges: String? = "bytes"
    /// How `Content-Range` is written.
    var rangeField = RangeField.standard
    /// How the body's end is told.
    var framing = Framing.length
    /// Values of `Content-Length` in place of the true one.
    var lengths: [String]?
    /// Bytes sent and announced beyond the range.
    var announcedExtra: Int64 = 0
    /// Bytes sent beyond what is announced.
    var unannouncedExtra: Int64 = 0
    /// By how much the bytes sent lie further on than the range.
    var shift: Int64 = 0
    /// Offset of a byte in which a bit is wrong.
    var flipped: Int64?
    /// A page in place of the file.
    var page: [UInt8]?
    /// What comes around the body.
    var wrapping: (before: [UInt8], after: [UInt8]) = ([], [])
    /// After how many bytes of body the answer breaks off, and how.
    var cut: (after: Int64, step: OriginStep)?
    /// What comes before the head.
    var prefix: [OriginStep] = []
    /// What comes behind a complete answer.
    var suffix: [OriginStep] = []
    /// What is done to the body, so it says, before it is framed.
    var transferCodings: [String] = []
    /// Bytes a second.
    var rate: Int64?
    /// More fields.
    var fields: [OriginField] = []
    /// Version and line ends.
    var version = "HTTP/1.1"
    /// What ends the head's lines.
    var lineEnd = "\r\n"
    /// Whether the head comes byte by byte.
    var isHeadSlow = false
    /// Whether the connection stays.
    var keepsConnection = true
    /// Whether `Connection: close` is said when it doesn't.
    var announcesClose = true

    /// Makes the honest answer.
    init(_ visit: OriginVisit, _ resource: OriginResource, _ counter: OriginCounters) {
        self.visit = visit
        self.resource = resource
        ranged = counter.ranged
        asked = visit.request.wantsHeadOnly ? .none : visit.request.range(of: resource.size)
        if let condition = visit.request.fields.value("If-Range"), !Self.holds(condition, resource) { asked = .none }
        switch asked {
        case .none: (range, status) = (0..<resource.size, 200)
        case .bytes(let asked): (range, status) = (asked, 206)
        case .unsatisfiable: (range, status) = (0..<0, 416)
        }
    }

    /// Answers with the whole file, as if no range had been asked for.
    mutating func serveWhole() {
        asked = .none
        range = 0..<resource.size
        status = 200
    }

    /// Whether `If-Range` lets a range through (RFC 9110 §13.1.5).
    private static func holds(_ condition: String, _ resource: OriginResource) -> Bool {
        for behavior in resource.behaviors {
            switch behavior {
            case .ifRangeIgnored: return true
            case .ifRangeNeverMatches: return false
            case .changesContent(let change) where !change.heedsIfRange: return true
            default: break
            }
        }
        if let etag = resource.etag, condition == etag { return !etag.hasPrefix("W/") }
        return resource.lastModified.map { OriginMoment.httpDate($0) == condition } ?? false
    }
}
