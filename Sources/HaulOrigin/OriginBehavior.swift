/// How an origin treats those who ask for a file: every honest and hostile conduct the tests need.
///
/// A resource may have several; each changes the answer that those before it left. `allCases` has one of each kind, and
/// lists of kinds that belong together.
package enum OriginBehavior: Hashable, Sendable {
    // MARK: - Ranges

    /// Does everything right.
    case honest
    /// Answers 200 to everything and doesn't mention ranges.
    case noRanges
    /// Answers 200 to everything and says `Accept-Ranges: none`.
    case acceptRangesNone
    /// Says `Accept-Ranges: bytes`, and answers 200 all the same.
    case ignoresRange
    /// Answers 206 to the first ranged request, and 200 to all others.
    case rangesOnlyOnProbe
    /// The first `requests` that ask for a range get the whole file.
    case rangesLater(requests: Int)
    /// Serves ranges without saying so.
    case unadvertisedRanges
    /// `Content-Range` names bytes further on by `shift` than those asked for and sent.
    case wrongContentRange(shift: Int64)
    /// The bytes sent lie further on by `shift` than `Content-Range` says: only content can tell.
    case shiftedContent(shift: Int64)
    /// The request for a range that comes after `count` others gets zeros, with everything else as it should be.
    case blankRange(after: Int)
    /// `Content-Range` can't be read.
    case garbageContentRange
    /// A 206 without `Content-Range`.
    case missingContentRange
    /// `Content-Range: bytes a-b/*`.
    case unknownTotal
    /// `Content-Range` means the right thing but isn't spelled as the standard says.
    case looselySpelledContentRange(OriginSpelling)
    /// The right bytes and `Content-Range`, but with status 200.
    case sliceWith200
    /// The whole file with a 206, whatever was asked for.
    case wholeFileWith206
    /// The end of a part is the one asked for, in `Content-Range` and in the length, where the file ends before: the rest never comes.
    case partsBeyondEnd
    /// The range begins at the block's boundary before the one asked for, as `Content-Range` says.
    case blockAlignedStart(block: Int64)
    /// Answers with at most `limit` bytes of the range, as `Content-Range` says.
    case shortRanges(limit: Int64)
    /// Announces and sends bytes beyond the range that `Content-Range` names.
    case lengthContradictsRange(extra: Int64)
    /// Answers a single range as `multipart/byteranges`.
    case multipartByteranges
    /// Answers 416 to every range, in the given dialect.
    case refusesEveryRange(OriginUnsatisfied)
    /// Speaks the given dialect when a range lies beyond the end, and is honest otherwise.
    case unsatisfiable(OriginUnsatisfied)
    /// Refuses a range that ends behind the file's end, in the given dialect, where others cut it (webfs).
    case refusesRangesBeyondEnd(OriginUnsatisfied)
    /// A 206 with `Content-Range: bytes a-b/*` for everything, also where no range was asked for or none is left.
    case partsWithoutEnd
    /// The total in the answer grows by one with each request after the first `requests`.
    case totalChanges(afterRequests: Int)

    // MARK: - Codings and pages

    /// Says `Content-Encoding: gzip` although identity was asked for.
    case gzipAnyway
    /// Says `Transfer-Encoding: gzip, chunked` although nobody asked for it.
    case gzipTransfer
    /// A page of HTML with status 200, in place of the file.
    case htmlPage200
    /// A page of HTML with status 206 and the `Content-Range` asked for.
    case htmlPage206

    // MARK: - Lengths and framing

    /// Chunked, 200 and no ranges.
    case chunkedUnknownLength
    /// Ranges as they should be, but chunked.
    case chunkedWithRanges
    /// Chunked ranges with more bytes than `Content-Range` says.
    case chunkedOverlong(extra: Int64)
    /// Chunked, and closed in the middle.
    case chunkedCutShort
    /// Chunked, with a size that is no number.
    case chunkedGarbage
    /// No length and no ranges; the connection's end is the file's.
    case closeDelimited
    /// Ranges, without a length; the connection's end is the range's.
    case closeDelimitedRanges
    /// Both `Content-Length` and `Transfer-Encoding: chunked`.
    case bothLengthAndChunked
    /// Two `Content-Length` lines that differ.
    case conflictingLengths
    /// Sends `extra` more bytes than announced, then closes.
    case overlongBody(extra: Int64)
    /// Sends `missing` bytes less than announced, then closes.
    case shortBody(missing: Int64)
    /// `Content-Length: 99999999999999999999`.
    case contentLengthAbsurd
    /// `Content-Length: -1`.
    case negativeLength
    /// A file without a byte, whatever the resource says.
    case zeroLengthFile

    // MARK: - Breaks, stalls and speed

    /// The connection is reset once `after` bytes of an answer's body have gone out.
    case resetMidBody(after: Int64)
    /// The connection is closed once `bytes` of an answer's body have gone out.
    case closesEvery(bytes: Int64)
    /// The first `times` requests get no answer: the connection is closed.
    case closesBeforeHead(times: Int)
    /// The first `times` requests get no answer: the connection is reset.
    case resetsBeforeHead(times: Int)
    /// The first `times` requests get no answer, and the connection stays.
    case stallBeforeHeaders(times: Int)
    /// The first `times` answers longer than `after` stop there, and the connection stays.
    case stallMidBody(after: Int64, times: Int)
    /// Each answer comes at `rate` bytes a second.
    case dripFeed(rate: Int64)
    /// Everything on the `connection`th connection comes at `rate` bytes a second.
    case oneSlowConnection(connection: Int, rate: Int64)
    /// The head comes after a wait.
    case latency(Duration)
    /// The head of the `request`th request comes after a wait.
    case latencyOf(request: Int, Duration)
    /// Closes each connection after `every` answers, announced by `Connection: close` or not.
    case closesAfterResponses(every: Int, announced: Bool)
    /// An answer that nobody asked for follows a complete one on the open connection, at once or a little later.
    case keepAliveLeftovers(late: Bool)

    // MARK: - Identity

    /// The file becomes another one, in bytes, tag and date, under way.
    case changesContent(OriginChange)
    /// The same bytes get another strong tag from every other connection, and `If-Range` heeds it.
    case flappingETag
    /// The tag is weak, and `If-Range` with it fails as it should.
    case weakETagOnly
    /// There is a date but no tag.
    case dateOnly
    /// There is neither tag nor date.
    case noValidator
    /// A 206 names no validator, a 200 does.
    case validatorOnlyOn200
    /// Every `If-Range` fails: the answer to it is 200.
    case ifRangeNeverMatches
    /// `If-Range` is ignored.
    case ifRangeIgnored
    /// The tag has no quotes.
    case unquotedETag
    /// One bit of the byte at `offset` is wrong, in the first `times` answers that hold it.
    case bitFlip(offset: Int64, times: Int)

    // MARK: - Redirects

    /// `hops` redirects come before the file.
    case redirectChain(hops: Int)
    /// Redirects lead nowhere but on.
    case redirectLoop
    /// The file lies at another host name: `localhost` for `127.0.0.1` and the other way round.
    case redirectCrossHost
    /// The redirect leads to a `file:` address.
    case redirectToFile
    /// The redirect leads from https to http, or to http anyway.
    case redirectDowngrade
    /// A redirect without `Location`.
    case redirectWithoutLocation
    /// A `Location` that is no address.
    case redirectToGarbage
    /// The address leads to a signed one, which answers 403 after `requests` requests or `lifetime`.
    case signedRedirectExpires(requests: Int, lifetime: Duration)
    /// The redirect sets a cookie, without which the file is refused.
    case cookieOnRedirect

    // MARK: - Refusals

    /// The first `times` requests are refused.
    case refuses(status: Int, times: Int, retryAfter: OriginRetryAfter)
    /// More than `limit` answers at once are refused with a status.
    case connectionCap(limit: Int, status: Int, retryAfter: OriginRetryAfter)
    /// More than `limit` answers at once are refused by a reset.
    case resetBeyondCap(limit: Int)
    /// More than `limit` answers at once are refused by closing.
    case closeBeyondCap(limit: Int)
    /// More than `limit` new connections within `period` are refused with a status.
    case newConnectionCap(limit: Int, period: Duration, status: Int)
    /// HEAD is refused with a status.
    case headForbidden(status: Int)
    /// HEAD never gets an answer.
    case headHangs
    /// HEAD says that there is nothing.
    case headSaysZero
    /// Name `user` and password `secret` are asked for.
    case authRequired

    // MARK: - Not quite HTTP

    /// A head that never ends.
    case endlessHeaders
    /// A head with one field of `bytes` bytes.
    case hugeHeaders(bytes: Int)
    /// Bytes that are no HTTP.
    case notHTTP
    /// A body without a head.
    case http09
    /// `count` heads of status 100 come first; `Int.max` for no end.
    case hundredContinues(count: Int)
    /// A head of status 103 comes first, with fields that belong to no answer.
    case earlyHints
    /// Status 101, and then something else.
    case switchingProtocols
    /// The head says HTTP/1.0.
    case http10
    /// Lines of the head end with a line feed alone.
    case bareLineFeeds
    /// The head comes byte by byte.
    case headByteByByte
}
