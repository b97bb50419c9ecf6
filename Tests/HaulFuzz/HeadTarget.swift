import HaulCore
import HaulCurl

/// An answer that is accepted carries the bytes that were asked for, and nothing read from its fields does harm.
enum HeadTarget {
    private static let now: Int64 = 1_700_000_000

    static func check(_ bytes: [UInt8]) throws(Finding) {
        var input = FuzzInput(bytes)
        let expectation = expectation(&input)
        let slice = slice(&input)
        guard let head = collect(input.remaining) else { return }
        try Finding.unless((200...999).contains(head.status), "final status \(head.status)")
        for field in head.fields.lines {
            try Finding.unless(!(field.name + field.value).utf8.contains(0x0A), "a line break in \(field)")
        }
        try fields(head.fields)
        try judged(AnswerCheck.judge(head, against: expectation, at: now), expectation)
        // What is asked for lies within the slice.
        var inner = expectation
        inner.requested = expectation.requested.flatMap { range in
            range.lowerBound < slice.longest ? range.clamped(to: ByteRange(0, slice.longest)) : nil
        }
        _ = slice.inSlice(AnswerCheck.judge(head, against: slice.inWhole(inner), at: now))
    }

    // MARK: - Inputs

    private static func expectation(_ input: inout FuzzInput) -> AnswerExpectation {
        var expectation = AnswerExpectation()
        let kind = input.byte()
        if kind & 1 != 0 {
            let start = abs(max(input.number(near: 1000), .min + 1))
            expectation.requested = ByteRange(
                start, kind & 2 != 0 ? .max : start.saturatingAdd(1 + Int64(input.byte())))
        }
        if kind & 4 != 0 { expectation.size = abs(max(input.number(near: 1000), .min + 1)) }
        if kind & 8 != 0 {
            expectation.validators = EntityValidators(
                entityTag: "\"v1\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT")
        }
        if kind & 16 != 0 { expectation.mediaType = "application/octet-stream" }
        return expectation
    }

    private static func slice(_ input: inout FuzzInput) -> ResourceSlice {
        let first = abs(max(input.number(near: 1000), .min + 1))
        return ResourceSlice(first, first.saturatingAdd(Int64(input.byte())))
    }

    /// What the transport makes of these bytes, line by line.
    private static func collect(_ bytes: [UInt8]) -> ResponseHead? {
        var collector = HeadCollector()
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
            let line = Array(bytes[start..<end])
            guard take(line, &collector) else { return nil }
            start = end
        }
        return collector.isComplete ? collector.head : nil
    }

    private static func take(_ line: [UInt8], _ collector: inout HeadCollector) -> Bool {
        do { try collector.take(line.span.bytes) } catch { return false }
        return true
    }

    // MARK: - What must hold

    private static func fields(_ fields: HTTPFields) throws(Finding) {
        if let disposition = fields["Content-Disposition"] {
            try NameTarget.harmless(SuggestedName.choose(contentDisposition: disposition, path: "/a"))
        }
        if let delay = RetryAfter.delay(fields, at: now) {
            try Finding.unless(delay >= .zero && delay <= RetryAfter.longest, "a wait of \(delay)")
        }
        for bearer in [ServerDigests.Bearer.whole, .part, .redirect] {
            let digests = ServerDigests.read(fields, from: bearer)
            try Finding.unless(Set(digests.map(\.algorithm)).count == digests.count, "two of one algorithm: \(digests)")
        }
        let validators = EntityValidators(fields)
        if let sent = validators.ifRangeValue {
            try Finding.unless(sent.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "would send If-Range: \(sent)")
        }
        try Finding.unless(validators.contradicts(validators) == nil, "contradicts itself: \(validators)")
    }

    private static func judged(_ verdict: AnswerVerdict, _ expectation: AnswerExpectation) throws(Finding) {
        switch verdict {
        case .use(let answer):
            let wanted = expectation.requested?.lowerBound ?? 0
            try possible(answer)
            try Finding.unless(answer.start <= wanted, "begins at \(answer.start), after \(wanted)")
            try Finding.unless(answer.isPartial || answer.start == 0, "a whole that begins at \(answer.start)")
            if answer.isPartial, let end = answer.end { try Finding.unless(end > wanted, "ends before \(wanted)") }
            if let known = expectation.size, let size = answer.resource.size {
                try Finding.unless(known == size, "size \(size) instead of \(known)")
            }
            if let known = expectation.size, answer.isPartial, let end = answer.end {
                try Finding.unless(end <= known, "goes on past the end")
            }
        case .refuse(.wholeBody(let answer)), .refuse(.changed(_, let answer?)): try possible(answer)
        case .refuse(.status(_, let delay?)):
            try Finding.unless(delay >= .zero && delay <= RetryAfter.longest, "a wait of \(delay)")
        case .refuse(.redirect(let location)): try Finding.unless(!location.isEmpty, "a redirect to nowhere")
        case .refuse: break
        }
    }

    private static func possible(_ answer: AcceptedAnswer) throws(Finding) {
        try Finding.unless(answer.start >= 0, "begins at \(answer.start)")
        if let end = answer.end {
            try Finding.unless(end >= answer.start, "\(answer.start) to \(end)")
            try Finding.unless(end <= answer.resource.size ?? .max, "ends at \(end), past its size")
        }
    }
}
