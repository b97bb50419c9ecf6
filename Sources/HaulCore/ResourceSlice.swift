/// The part of a resource that a download is of, and how offsets in it and in the whole correspond.
///
/// Requests and answers speak of the whole; everything behind them, journal and files too, counts from the part's
/// first byte.
package struct ResourceSlice: Hashable, Sendable {
    /// Offset of the first byte in the whole.
    package let lowerBound: Int64
    /// Offset behind the last byte that is wanted; `Int64.max` is the end, whatever it is.
    package let upperBound: Int64
    /// Size of the whole; nil as long as it is not known.
    package var wholeSize: Int64?

    /// All of it.
    package static let whole = ResourceSlice(0, .max)

    /// Makes a slice.
    package init(_ lowerBound: Int64, _ upperBound: Int64, wholeSize: Int64? = nil) {
        self.lowerBound = lowerBound
        self.upperBound = max(lowerBound, upperBound)
        self.wholeSize = wholeSize
    }

    /// Whether it is no part but the whole.
    package var isWhole: Bool { lowerBound == 0 && upperBound == .max }

    /// Most bytes that it can have.
    package var longest: Int64 { upperBound == .max ? .max : upperBound - lowerBound }

    /// Bytes of it that a resource of a given size has; nil if the size is unknown.
    package func length(ofWhole size: Int64?) -> Int64? { size.map { max(0, min($0, upperBound) - lowerBound) } }

    /// Whether a journal is of this slice.
    package func isThat(of header: JournalHeader) -> Bool {
        header.firstByte == lowerBound && length(ofWhole: header.wholeSize) == header.size
    }

    /// A range of the slice as the server counts.
    package func inWhole(_ range: ByteRange) -> ByteRange {
        if isWhole { return range }
        let end = min(range.upperBound.saturatingAdd(lowerBound), upperBound)
        return ByteRange(min(range.lowerBound.saturatingAdd(lowerBound), end), end)
    }

    /// What is expected of an answer, as the server counts.
    package func inWhole(_ expectation: AnswerExpectation) -> AnswerExpectation {
        if isWhole { return expectation }
        var expectation = expectation
        expectation.requested = expectation.requested.map { inWhole($0) }
        if expectation.size != nil { expectation.size = wholeSize }
        return expectation
    }

    /// A verdict on an answer, with places and sizes counted from the slice's first byte.
    package func inSlice(_ verdict: AnswerVerdict) -> AnswerVerdict {
        switch verdict {
        case .use(let answer): .use(inSlice(answer))
        case .refuse(.wholeBody(let answer)): .refuse(.wholeBody(inSlice(answer)))
        case .refuse(.changed(let reason, let answer?)): .refuse(.changed(reason: reason, inSlice(answer)))
        case .refuse: verdict
        }
    }

    private func inSlice(_ answer: AcceptedAnswer) -> AcceptedAnswer {
        var answer = answer
        answer.wholeSize = answer.resource.size
        if isWhole { return answer }
        answer.start -= lowerBound
        answer.end = answer.end.map { $0 - lowerBound }
        answer.resource.size = length(ofWhole: answer.wholeSize)
        // They are of the whole.
        answer.resource.digests = []
        return answer
    }
}
