import HaulCore
import Testing

/// What a verdict comes to, in a form that a table can hold.
enum AnswerOutcome: Hashable, Sendable {
    case part(Int64, Int64)
    case whole(Int64?)
    case redirect(String)
    case status(Int)
    case unsatisfiable(Int64?)
    case wholeBody
    case changed(usable: Bool)
    case encoded(String)
    case multipart
    case misplaced

    init(_ verdict: AnswerVerdict) {
        switch verdict {
        case .use(let answer):
            self = answer.isPartial ? .part(answer.start, answer.end ?? -1) : .whole(answer.end)
        case .refuse(.redirect(let location)): self = .redirect(location)
        case .refuse(.status(let status, _)): self = .status(status)
        case .refuse(.unsatisfiable(let size)): self = .unsatisfiable(size)
        case .refuse(.wholeBody): self = .wholeBody
        case .refuse(.changed(_, let answer)): self = .changed(usable: answer != nil)
        case .refuse(.encoded(let coding)): self = .encoded(coding)
        case .refuse(.multipart): self = .multipart
        case .refuse(.misplaced): self = .misplaced
        }
    }
}

/// One head, what was expected, and what must come of it.
struct AnswerCase: Sendable, CustomTestStringConvertible {
    var name: String
    var head: ResponseHead
    var expectation: AnswerExpectation
    var outcome: AnswerOutcome

    var testDescription: String { name }

    init(
        _ name: String, _ status: Int, _ fields: [String], asked: ByteRange? = ByteRange(100, 200),
        size: Int64? = 1_000,
        tag: String? = nil, modified: String? = nil, compares: Bool = true, type: String? = nil, coding: String? = nil,
        _ outcome: AnswerOutcome
    ) {
        self.name = name
        let lines = fields.map { line in
            let parts = line.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)
            return HTTPField(String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
        head = ResponseHead(status: status, fields: HTTPFields(lines))
        expectation = AnswerExpectation(
            requested: asked, size: size, validators: EntityValidators(entityTag: tag, lastModified: modified),
            comparesValidators: compares, mediaType: type, coding: coding)
        self.outcome = outcome
    }

    func judge() -> AnswerVerdict { AnswerCheck.judge(head, against: expectation, at: 784_111_777) }
}

@Suite struct AnswerCheckTests {
    static let range = "Content-Range: bytes 100-199/1000"
    static let length = "Content-Length: 100"

    static let parts: [AnswerCase] = [
        AnswerCase("as asked", 206, [range, length], .part(100, 200)),
        AnswerCase("without length", 206, [range], .part(100, 200)),
        AnswerCase("shorter", 206, ["Content-Range: bytes 100-149/1000", "Content-Length: 50"], .part(100, 150)),
        AnswerCase("longer", 206, ["Content-Range: bytes 100-999/1000", "Content-Length: 900"], .part(100, 1_000)),
        AnswerCase(
            "earlier, aligned", 206, ["Content-Range: bytes 64-199/1000", "Content-Length: 136"], .part(64, 200)),
        AnswerCase("total unknown", 206, ["Content-Range: bytes 100-199/*", length], .part(100, 200)),
        AnswerCase(
            "open-ended", 206, ["Content-Range: bytes 100-999/1000"], asked: ByteRange(100, .max), .part(100, 1_000)),
        AnswerCase("loosely written", 206, ["content-range: Bytes=100-199/1000", length], .part(100, 200)),
        AnswerCase(
            "first answer", 206, ["Content-Range: bytes 0-99/1000"], asked: ByteRange(0, 100), size: nil, .part(0, 100)),
        AnswerCase("later", 206, ["Content-Range: bytes 101-199/1000", "Content-Length: 99"], .misplaced),
        AnswerCase("shifted, same length", 206, ["Content-Range: bytes 200-299/1000", length], .misplaced),
        AnswerCase("before what was asked", 206, ["Content-Range: bytes 0-99/1000", length], .misplaced),
        AnswerCase(
            "beyond the known size", 206, ["Content-Range: bytes 100-1000/*", "Content-Length: 901"], .misplaced),
        AnswerCase("no Content-Range", 206, [length], .misplaced),
        AnswerCase("no Content-Range, nothing asked", 206, ["Content-Length: 1000"], asked: nil, .misplaced),
        AnswerCase("garbage", 206, ["Content-Range: bytes fun", length], .misplaced),
        AnswerCase("inverted", 206, ["Content-Range: bytes 199-100/1000", length], .misplaced),
        AnswerCase("unsatisfied", 206, ["Content-Range: bytes */1000", length], .misplaced),
        AnswerCase("length contradicts", 206, [range, "Content-Length: 99"], .misplaced),
        AnswerCase("length is the whole's", 206, [range, "Content-Length: 1000"], .misplaced),
        AnswerCase(
            "length ignored when chunked", 206, [range, "Content-Length: 7", "Transfer-Encoding: chunked"],
            .part(100, 200)),
        AnswerCase("two ranges that differ", 206, [range, "Content-Range: bytes 0-99/1000", length], .misplaced),
        AnswerCase("two ranges that agree", 206, [range, range, length], .part(100, 200)),
        AnswerCase("not asked, from 0", 206, ["Content-Range: bytes 0-499/1000"], asked: nil, .misplaced),
        AnswerCase("not asked, the whole", 206, ["Content-Range: bytes 0-999/1000"], asked: nil, .part(0, 1000)),
        AnswerCase(
            "not asked, no total", 206, ["Content-Range: bytes 0-999/*"], asked: nil, size: nil, .misplaced),
        AnswerCase("not asked, not from 0", 206, [range], asked: nil, .misplaced),
        AnswerCase("another size", 206, ["Content-Range: bytes 100-199/1001", length], .changed(usable: true)),
        AnswerCase("another size, misplaced", 206, ["Content-Range: bytes 0-50/51"], .changed(usable: false)),
        AnswerCase("multipart", 206, ["Content-Type: multipart/byteranges; boundary=x", length], .multipart),
        AnswerCase("multipart shouted", 206, ["Content-Type: Multipart/ByteRanges;boundary=x", range], .multipart),
    ]

    static let wholes: [AnswerCase] = [
        AnswerCase("from 0", 200, ["Content-Length: 1000"], asked: ByteRange(0, 100), .whole(1_000)),
        AnswerCase("nothing asked", 200, ["Content-Length: 1000"], asked: nil, size: nil, .whole(1_000)),
        AnswerCase("empty", 200, ["Content-Length: 0"], asked: ByteRange(0, .max), size: nil, .whole(0)),
        AnswerCase("chunked", 200, ["Transfer-Encoding: chunked"], asked: ByteRange(0, 100), size: nil, .whole(nil)),
        AnswerCase("close-delimited", 200, [], asked: ByteRange(0, 100), size: nil, .whole(nil)),
        AnswerCase(
            "chunked with a length", 200, ["Transfer-Encoding: Chunked", "Content-Length: 5"], asked: nil,
            .whole(nil)),
        AnswerCase("range ignored", 200, ["Content-Length: 1000"], .wholeBody),
        AnswerCase("range ignored, chunked", 200, ["Transfer-Encoding: chunked"], .wholeBody),
        AnswerCase("another size", 200, ["Content-Length: 999"], .changed(usable: true)),
        AnswerCase(
            "another size from 0", 200, ["Content-Length: 999"], asked: ByteRange(0, 100), .changed(usable: true)),
        AnswerCase("a part under 200", 200, [range, length], .part(100, 200)),
        AnswerCase(
            "a part under 200, total unknown", 200, ["Content-Range: bytes 100-199/*", length], .part(100, 200)),
        AnswerCase("a wrong part under 200", 200, ["Content-Range: bytes 200-299/1000", length], .misplaced),
        AnswerCase("Content-Range copied onto the whole", 200, [range, "Content-Length: 1000"], .wholeBody),
        AnswerCase(
            "Content-Range of the whole", 200, ["Content-Range: bytes 0-999/1000", "Content-Length: 1000"], asked: nil,
            .whole(1_000)),
        AnswerCase("part or whole, no length", 200, [range], asked: ByteRange(0, 100), .misplaced),
        AnswerCase("neither length", 200, [range, "Content-Length: 500"], asked: ByteRange(0, 100), .misplaced),
        AnswerCase(
            "unreadable Content-Range", 200, ["Content-Range: fun", "Content-Length: 1000"], asked: nil, .whole(1_000)),
        AnswerCase("multipart", 200, ["Content-Type: multipart/byteranges"], .multipart),
    ]

    static let lengths: [AnswerCase] =
        ["", "x", "-1", "+1000", "1000.0", "1e3", "0x3e8", "99999999999999999999", "9223372036854775808", "1000, 999"]
        .map {
            AnswerCase("length '\($0)'", 200, ["Content-Length: \($0)"], asked: nil, size: nil, .misplaced)
        } + [
            AnswerCase("equal lengths in one line", 200, ["Content-Length: 7, 7"], asked: nil, size: nil, .whole(7)),
            AnswerCase(
                "equal lengths in two", 200, ["Content-Length: 7", "Content-Length: 07"], asked: nil, size: nil,
                .whole(7)),
            AnswerCase(
                "differing lengths", 200, ["Content-Length: 7", "Content-Length: 8"], asked: nil, size: nil, .misplaced),
        ]

    static let versions: [AnswerCase] = [
        AnswerCase("same tag", 206, [range, #"ETag: "a""#], tag: #""a""#, .part(100, 200)),
        AnswerCase("other tag", 206, [range, #"ETag: "b""#], tag: #""a""#, .changed(usable: true)),
        AnswerCase(
            "other tag, compared by nobody", 206, [range, #"ETag: "b""#], tag: #""a""#, compares: false, .part(100, 200)
        ),
        AnswerCase("no tag", 206, [range], tag: #""a""#, modified: EntityValidatorsTests.noon, .part(100, 200)),
        AnswerCase(
            "other date", 206, [range, "Last-Modified: \(EntityValidatorsTests.minuteLater)"],
            modified: EntityValidatorsTests.noon, .changed(usable: true)),
        AnswerCase(
            "If-Range said no", 200, ["Content-Length: 1000", #"ETag: "b""#], tag: #""a""#, .changed(usable: true)),
        AnswerCase(
            "whole of the same version", 200, ["Content-Length: 1000", #"ETag: "a""#], tag: #""a""#, .wholeBody),
        AnswerCase(
            "other size, compared by nobody", 206, ["Content-Range: bytes 100-199/1001"], compares: false,
            .changed(usable: true)),
        AnswerCase(
            "other tag and misplaced", 206, ["Content-Range: bytes 500-599/1000", #"ETag: "b""#], tag: #""a""#,
            .changed(usable: false)),
    ]

    static let bodies: [AnswerCase] = [
        AnswerCase("gzip", 206, [range, "Content-Encoding: gzip"], .encoded("gzip")),
        AnswerCase("two codings", 200, ["Content-Encoding: GZIP, br"], asked: nil, .encoded("gzip, br")),
        AnswerCase("coded transfer", 200, ["Transfer-Encoding: gzip, chunked"], asked: nil, .encoded("gzip")),
        AnswerCase(
            "coded transfer in two lines", 206, [range, "Transfer-Encoding: deflate", "Transfer-Encoding: chunked"],
            .encoded("deflate")),
        AnswerCase("identity", 206, [range, "Content-Encoding: Identity"], .part(100, 200)),
        AnswerCase("no coding at all", 206, [range, "Content-Encoding: utf-8, none"], .part(100, 200)),
        AnswerCase("upload framing", 206, [range, "Content-Encoding: aws-chunked,gzip"], .encoded("gzip")),
        AnswerCase("empty coding", 206, [range, "Content-Encoding: "], .part(100, 200)),
        AnswerCase("stored coding", 206, [range, "Content-Encoding: x-gzip"], coding: "x-gzip", .part(100, 200)),
        AnswerCase("stored coding gone", 206, [range], coding: "x-gzip", .encoded("identity")),
        AnswerCase(
            "page for an image", 200, ["Content-Length: 50", "Content-Type: text/html; charset=utf-8"],
            type: "image/png",
            .misplaced),
        AnswerCase(
            "page for an image, same size", 206, [range, "Content-Type: Text/HTML"], type: "image/png", .misplaced),
        AnswerCase("page for a page", 206, [range, "Content-Type: text/html"], type: "text/html", .part(100, 200)),
        AnswerCase("page at first", 206, [range, "Content-Type: text/html"], .part(100, 200)),
        AnswerCase(
            "other type", 206, [range, "Content-Type: application/octet-stream"], type: "image/png", .part(100, 200)),
    ]

    static let others: [AnswerCase] =
        [301, 302, 303, 307, 308].map { AnswerCase("\($0)", $0, ["Location:  /next "], .redirect("/next")) }
        + [300, 304, 305, 306].map { AnswerCase("\($0)", $0, ["Location: /next"], .status($0)) }
        + [100, 101, 201, 202, 203, 204, 205, 207, 226, 302, 400, 401, 403, 404, 407, 410, 429, 500, 503, 599, 999].map
    {
        AnswerCase("\($0)", $0, ["Content-Length: 100"], .status($0))
    }
        + [
            AnswerCase("empty Location", 302, ["Location: "], .status(302)),
            AnswerCase("416 with size", 416, ["Content-Range: bytes */1234"], .unsatisfiable(1_234)),
            AnswerCase("416 loosely", 416, ["Content-Range: bytes=*/0"], .unsatisfiable(0)),
            AnswerCase("416 bare", 416, [], .unsatisfiable(nil)),
            AnswerCase("416 with garbage", 416, ["Content-Range: bytes */*"], .unsatisfiable(nil)),
        ]

    @Test(arguments: parts + wholes + lengths + versions + bodies + others)
    func judges(_ item: AnswerCase) {
        #expect(AnswerOutcome(item.judge()) == item.outcome)
    }

    @Test func describesTheResource() throws {
        let item = AnswerCase(
            "", 206,
            [
                "Content-Range: bytes 0-9/10", "Content-Type: Application/X-Tar; x=y", #"ETag: "v""#,
                "Last-Modified: \(EntityValidatorsTests.noon)", "Content-Disposition: attachment; filename=a",
                "Accept-Ranges: none", "Content-MD5: \(ServerDigestsTests.md5)",
            ], asked: ByteRange(0, .max), size: nil, .part(0, 10))
        guard case .use(let answer) = item.judge() else {
            Issue.record("refused")
            return
        }
        let resource = answer.resource
        #expect(resource.size == 10)
        #expect(resource.acceptsRanges && resource.advertisesNoRanges)
        #expect(resource.mediaType == "application/x-tar")
        #expect(resource.validators.entityTag?.text == #""v""#)
        #expect(resource.lastModified == 784_123_200)
        #expect(resource.contentDisposition == "attachment; filename=a")
        #expect(resource.digests.map(\.hex) == [ServerDigestsTests.md5Hex], "the part is the whole")
    }

    @Test(arguments: [("bytes 100-199/1000", 100), ("bytes 0-199/1000", 0), ("bytes 0-199/*", 0)])
    func aPartsOwnDigestIsNotTheFiles(range: String, start: Int64) {
        let fields = ["Content-Range: \(range)", "Content-MD5: \(ServerDigestsTests.md5)"]
        guard case .use(let answer) = AnswerCase("", 206, fields, .part(start, 200)).judge() else {
            Issue.record("refused")
            return
        }
        #expect(answer.resource.digests.isEmpty)
    }

    @Test func wholeBodyProvesNothingAboutRanges() {
        guard case .refuse(.wholeBody(let answer)) = AnswerCase("", 200, ["Content-Length: 1000"], .wholeBody).judge()
        else {
            Issue.record("not seen as a whole body")
            return
        }
        #expect(answer.start == 0 && answer.end == 1_000 && !answer.isPartial)
        #expect(!answer.resource.acceptsRanges && !answer.resource.advertisesNoRanges)
    }

    @Test func retryAfterCountsFromTheServersDate() {
        let fields = ["Date: Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After: Sun, 06 Nov 1994 08:50:37 GMT"]
        let refusal = AnswerVerdict.refuse(.status(503, retryAfter: .seconds(60)))
        var item = AnswerCase("", 503, fields, .status(503))
        #expect(AnswerCheck.judge(item.head, against: item.expectation, at: 0) == refusal)
        item = AnswerCase("", 503, [fields[1]], .status(503))
        #expect(item.judge() == refusal)
    }

    /// Whatever a head says: a body that is used holds a wanted byte and lies within the file.
    @Test(arguments: UInt64(1)...32)
    func neverPlacesABodyWrongly(seed: UInt64) {
        var random = CoreRandom(seed: seed)
        func number() -> Int64 {
            [0, 1, 50, 99, 100, 101, 150, 199, 200, 999, 1_000, 1_001].randomElement(using: &random) ?? 0
        }
        for _ in 0..<2_000 {
            let asked = Bool.random(using: &random) ? ByteRange(number(), number() + 1) : nil
            let size: Int64? = Bool.random(using: &random) ? 1_000 : nil
            let (first, last, total, length) = (number(), number(), number(), number())
            var fields: [String] = []
            if Bool.random(using: &random) { fields.append("Content-Range: bytes \(first)-\(last)/\(total)") }
            if Bool.random(using: &random) { fields.append("Content-Length: \(length)") }
            let status = Bool.random(using: &random) ? 206 : 200
            let item = AnswerCase("", status, fields, asked: asked, size: size, .misplaced)
            guard case .use(let answer) = item.judge() else { continue }
            let wanted = asked?.lowerBound ?? 0
            #expect(answer.start <= wanted)
            #expect(answer.isPartial || answer.start == 0)
            if let end = answer.end {
                if answer.isPartial { #expect(answer.end == last + 1 && answer.start == first && end > wanted) }
                if let size { #expect(end <= size) }
                if fields.contains("Content-Length: \(length)") { #expect(end - answer.start == length) }
            }
        }
    }
}
