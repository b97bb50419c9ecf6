/// The judge of answers: decides from a head alone, before the first byte, whether and where its body may be written.
///
/// What an answer truly carries decides, not what was asked for. Placing a body wrongly is the one mistake that cannot
/// be made good later, so whatever is doubtful is refused: the caller asks again, there or elsewhere.
package enum AnswerCheck {
    /// Farthest before the asked place that a part may begin, in bytes: servers align to blocks of up to this.
    ///
    /// What comes early is thrown away, so without a limit a server could make every request cost the whole file.
    private static let longestHeadStart: Int64 = 1 << 20

    /// Judges `head`.
    ///
    /// - Parameters:
    ///   - head: final head of an answer to a GET.
    ///   - expectation: what was asked for and what is known.
    ///   - secondsSince1970: the present, for a `Retry-After` that is a date.
    /// - Returns: where the body belongs, or why it belongs nowhere.
    package static func judge(
        _ head: ResponseHead, against expectation: AnswerExpectation, at secondsSince1970: Int64
    ) -> AnswerVerdict {
        switch head.status {
        case 200, 206:
            do throws(AnswerRefusal) {
                return .use(try accept(head, expectation))
            } catch {
                return .refuse(error)
            }
        case 301, 302, 303, 307, 308:
            let location = FieldText.trimmed(head.fields["Location"] ?? "")
            if !location.isEmpty { return .refuse(.redirect(location: location)) }
        case 416:
            return .refuse(.unsatisfiable(size: head.fields["Content-Range"].flatMap { ContentRange($0) }?.total))
        default:
            break
        }
        return .refuse(.status(head.status, retryAfter: RetryAfter.delay(head.fields, at: secondsSince1970)))
    }

    /// Whether an answer is a page of HTML where another kind of file is known to be: a portal, a login, an apology.
    package static func looksLikeErrorPage(_ resource: RemoteResource, knownMediaType: String?) -> Bool {
        guard let knownMediaType, let mediaType = resource.mediaType else { return false }
        let pages = ["text/html", "application/xhtml+xml"]
        return pages.contains(mediaType) && !pages.contains(knownMediaType)
    }

    // MARK: - Answers with a body

    private static func accept(
        _ head: ResponseHead, _ expectation: AnswerExpectation
    ) throws(AnswerRefusal) -> AcceptedAnswer {
        let fields = head.fields
        if RemoteResource.mediaType(of: fields) == "multipart/byteranges" { throw .multipart }
        let coding = RemoteResource.coding(of: fields)
        guard coding == expectation.coding else { throw .encoded(coding: coding ?? "identity") }
        // Nobody asked for another one (RFC 9110 §10.1.4), and libcurl undoes none but this.
        for coding in fields.list("Transfer-Encoding")
        where !HTTPFields.equal(coding, "chunked") && !HTTPFields.equal(coding, "identity") {
            throw .encoded(coding: coding)
        }
        let place = try place(head)
        let isWhole = place.start == 0 && (!place.isPartial || place.end == place.size)
        let answer = AcceptedAnswer(
            start: place.start, end: place.end, isPartial: place.isPartial,
            resource: RemoteResource(fields, size: place.size, isPartial: place.isPartial, isWhole: isWhole))
        // Before anything is called a change: a page would otherwise cost the bytes that are already there.
        if looksLikeErrorPage(answer.resource, knownMediaType: expectation.mediaType) {
            throw .misplaced(reason: "a page of HTML came in place of the file")
        }
        let misfit = misfit(place, expectation)
        if let reason = change(answer.resource, expectation) {
            // A whole body is the start of the new version wherever a part of the old one was wanted.
            throw .changed(reason: reason, place.isPartial && misfit != nil ? nil : answer)
        }
        if let misfit { throw .misplaced(reason: misfit) }
        let wanted = expectation.requested?.lowerBound ?? 0
        if isWhole, wanted > 0 { throw .wholeBody(answer) }
        if wanted - place.start > longestHeadStart {
            throw .misplaced(reason: "the part begins at \(place.start), far before \(wanted) where it was asked for")
        }
        return answer
    }

    /// What differs from the version that is known.
    private static func change(_ resource: RemoteResource, _ expectation: AnswerExpectation) -> String? {
        if let known = expectation.size, let size = resource.size, size != known {
            return "size was \(known) bytes and is \(size)"
        }
        guard expectation.comparesValidators else { return nil }
        return expectation.validators?.contradicts(resource.validators)
    }

    /// Why the body of a part holds nothing that is wanted, or claims a place outside the file.
    private static func misfit(_ place: Place, _ expectation: AnswerExpectation) -> String? {
        guard place.isPartial, let end = place.end else { return nil }
        let wanted = expectation.requested?.lowerBound ?? 0
        if place.start > wanted { return "the part begins at \(place.start), after \(wanted) where it was asked for" }
        if end <= wanted { return "the part ends at \(end), before \(wanted) where it was asked for" }
        // Whoever asks for the whole can't ask for the rest: no answer would ever be the end of the file.
        if expectation.requested == nil, place.start > 0 || end != place.size {
            return "a part came, and the whole file was asked for"
        }
        if let size = expectation.size, end > size { return "the part ends at \(end), past the file's \(size) bytes" }
        return nil
    }

    // MARK: - Place

    /// Where a body lies and how large the whole is, as its fields say.
    private struct Place {
        var start: Int64
        var end: Int64?
        var size: Int64?
        var isPartial: Bool
    }

    private static func place(_ head: ResponseHead) throws(AnswerRefusal) -> Place {
        let length = try length(head.fields)
        let lines = head.fields.all("Content-Range").map { ContentRange($0) }
        if let first = lines.first, lines.contains(where: { $0 != first }) {
            throw .misplaced(reason: "Content-Range is given twice and differs")
        }
        let content = lines.first ?? nil
        if head.status == 206 {
            // Without Content-Range even a body of the asked length may be of other bytes.
            guard let content, let range = content.range else {
                let text = head.fields["Content-Range"].map { "'\($0)'" } ?? "missing"
                throw .misplaced(reason: "Content-Range of the part is \(text)")
            }
            if let length, length != range.length {
                throw .misplaced(reason: "the part's length is \(length), its Content-Range says \(range.length)")
            }
            return Place(start: range.lowerBound, end: range.upperBound, size: content.total, isPartial: true)
        }
        // Content-Range means nothing in a 200 (RFC 9110 §14.4). Some servers send a part under that status all the
        // same, others copy the field onto the whole body: the length tells which.
        if let content, let range = content.range, range.length != content.total {
            if length == range.length {
                return Place(start: range.lowerBound, end: range.upperBound, size: content.total, isPartial: true)
            }
            if length == nil || length != content.total {
                throw .misplaced(reason: "status 200 with the Content-Range of a part, and no length that settles it")
            }
        }
        return Place(start: 0, end: length, size: length, isPartial: false)
    }

    /// `Content-Length`, nil if there is none or the body is framed otherwise (RFC 9112 §6.3).
    ///
    /// Several equal values are one (RFC 9110 §8.6).
    private static func length(_ fields: HTTPFields) throws(AnswerRefusal) -> Int64? {
        let codings = fields.list("Transfer-Encoding").filter { !HTTPFields.equal($0, "identity") }
        let texts = fields.all("Content-Length")
        if !codings.isEmpty || texts.isEmpty { return nil }
        if texts.count == 1, let number = FieldText.number(texts[0].utf8) { return number }
        let values = Set(fields.list("Content-Length"))
        let numbers = values.map { FieldText.number($0.utf8) }
        guard Set(numbers).count == 1, let number = numbers.first ?? nil else {
            throw .misplaced(reason: "Content-Length '\(texts.joined(separator: ", "))' is no length")
        }
        return number
    }
}
