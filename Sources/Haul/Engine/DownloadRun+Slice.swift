import HaulCore

/// Fetching a part of the resource.
extension DownloadRun {
    /// The part that is wanted.
    var slice: ResourceSlice { sender.slice }

    /// Finds out which part is wanted: only one that is counted from the end costs a request.
    mutating func resolveSlice() async throws(DownloadError) {
        switch engine.request.range {
        case nil: break
        case .bytes(let range): sender.slice = ResourceSlice(range.lowerBound, range.upperBound)
        case .from(let first): sender.slice = ResourceSlice(first, .max)
        case .last(let count):
            sender.slice = .whole
            guard let size = try await sample(ByteRange(0, 1), size: nil).answer.wholeSize else {
                throw DownloadError(
                    .refused(status: 0),
                    "\(engine.url.redacted): the server does not say how long the file is: "
                        + "a range from its end can't be found", url: engine.url.redacted)
            }
            if size == 0 { throw beyondEnd(size: 0) }
            sender.slice = ResourceSlice(max(0, size - count), size, wholeSize: size)
        }
    }

    /// The error for a range that begins behind the last byte.
    func beyondEnd(size: Int64?) -> DownloadError {
        let length = size.map { "has \($0) bytes" } ?? "ends before"
        return DownloadError(
            .refused(status: 416),
            "\(engine.url.redacted): the range begins at byte \(slice.lowerBound) but the file \(length): "
                + "choose another range", url: engine.url.redacted)
    }

    /// The resource as a first answer describes it.
    static func resource(of answer: AcceptedAnswer, in slice: ResourceSlice) -> RemoteResource {
        var resource = answer.resource
        guard resource.size == nil else { return resource }
        if !answer.isPartial, slice.isWhole { resource.size = answer.end }
        return resource
    }
}
