extension OriginBehavior: CaseIterable {
    /// One of each kind, with parameters that suit a file of some hundred kilobytes.
    package static let allCases: [OriginBehavior] =
        ranges + framing + breaks + identity + redirects + refusals + protocols

    /// Conduct that concerns ranges, codings and pages.
    package static let ranges: [OriginBehavior] =
        [
            .honest, .noRanges, .acceptRangesNone, .ignoresRange, .rangesOnlyOnProbe, .rangesLater(requests: 1),
            .unadvertisedRanges, .wrongContentRange(shift: 1000), .wrongContentRange(shift: -1),
            .shiftedContent(shift: 8), .blankRange(after: 1), .garbageContentRange, .missingContentRange, .unknownTotal,
            .sliceWith200,
            .wholeFileWith206, .partsBeyondEnd, .blockAlignedStart(block: 10_000), .shortRanges(limit: 10_000),
            .lengthContradictsRange(extra: 100), .lengthContradictsRange(extra: -100), .multipartByteranges,
            .refusesRangesBeyondEnd(.badRequest), .partsWithoutEnd, .totalChanges(afterRequests: 1), .gzipAnyway,
            .gzipTransfer, .htmlPage200, .htmlPage206,
        ] + OriginSpelling.allCases.map { .looselySpelledContentRange($0) }
        + OriginUnsatisfied.allCases.map { .refusesEveryRange($0) }
        + OriginUnsatisfied.allCases.map { .unsatisfiable($0) }

    /// Conduct that concerns the length of bodies and how their end is told.
    package static let framing: [OriginBehavior] = [
        .chunkedUnknownLength, .chunkedWithRanges, .chunkedOverlong(extra: 100), .chunkedCutShort, .chunkedGarbage,
        .closeDelimited, .closeDelimitedRanges, .bothLengthAndChunked, .conflictingLengths, .overlongBody(extra: 100),
        .shortBody(missing: 100), .contentLengthAbsurd, .negativeLength, .zeroLengthFile,
    ]

    /// Breaks, stalls and speed.
    package static let breaks: [OriginBehavior] = [
        .resetMidBody(after: 20_000), .closesEvery(bytes: 700_000), .closesEvery(bytes: 20_000),
        .closesBeforeHead(times: 2), .resetsBeforeHead(times: 2), .stallBeforeHeaders(times: 1),
        .stallMidBody(after: 20_000, times: 1), .dripFeed(rate: 2000), .oneSlowConnection(connection: 2, rate: 2000),
        .latency(.milliseconds(150)), .latencyOf(request: 2, .milliseconds(150)),
        .closesAfterResponses(every: 1, announced: true), .closesAfterResponses(every: 1, announced: false),
        .closesAfterResponses(every: 3, announced: false),
        .keepAliveLeftovers(late: false), .keepAliveLeftovers(late: true),
    ]

    /// Conduct that concerns which file it is, and whether it stays the same.
    package static let identity: [OriginBehavior] = [
        .changesContent(OriginChange(.requests(2))), .changesContent(OriginChange(.requests(2), heedsIfRange: false)),
        .changesContent(OriginChange(.bytes(100_000))), .changesContent(OriginChange(.requests(2), silently: true)),
        .changesContent(OriginChange(.requests(2), sizeDelta: 1000)), .changesContent(OriginChange(.otherNode)),
        .changesContent(OriginChange(.requests(2), silently: true, alters: 2)), .flappingETag, .weakETagOnly, .dateOnly,
        .noValidator, .validatorOnlyOn200, .ifRangeNeverMatches, .ifRangeIgnored, .unquotedETag,
        .bitFlip(offset: 50_000, times: .max), .bitFlip(offset: 50_000, times: 1),
    ]

    /// Redirects of every kind.
    package static let redirects: [OriginBehavior] = [
        .redirectChain(hops: 3), .redirectChain(hops: 100), .redirectLoop, .redirectCrossHost, .redirectToFile,
        .redirectDowngrade, .redirectWithoutLocation, .redirectToGarbage,
        .signedRedirectExpires(requests: 3, lifetime: .seconds(3600)),
        .signedRedirectExpires(requests: .max, lifetime: .seconds(120)), .cookieOnRedirect,
    ]

    /// Refusals of every kind.
    package static let refusals: [OriginBehavior] = [
        .refuses(status: 503, times: 3, retryAfter: .none), .refuses(status: 429, times: 2, retryAfter: .seconds(2)),
        .refuses(status: 429, times: 1, retryAfter: .date(2)), .refuses(status: 503, times: 1, retryAfter: .absurd),
        .refuses(status: 503, times: 1, retryAfter: .garbage), .refuses(status: 500, times: 1, retryAfter: .none),
        .refuses(status: 408, times: 1, retryAfter: .none), .refuses(status: 404, times: .max, retryAfter: .none),
        .refuses(status: 403, times: .max, retryAfter: .none), .refuses(status: 410, times: .max, retryAfter: .none),
        .connectionCap(limit: 2, status: 503, retryAfter: .none),
        .connectionCap(limit: 2, status: 429, retryAfter: .seconds(1)),
        .connectionCap(limit: 2, status: 403, retryAfter: .none), .resetBeyondCap(limit: 2), .closeBeyondCap(limit: 2),
        .newConnectionCap(limit: 2, period: .seconds(1), status: 503), .headForbidden(status: 405),
        .headForbidden(status: 403), .headHangs, .headSaysZero, .authRequired,
    ]

    /// Answers that are not quite HTTP.
    package static let protocols: [OriginBehavior] = [
        .endlessHeaders, .hugeHeaders(bytes: 1_000_000), .hugeHeaders(bytes: 20_000), .notHTTP, .http09,
        .hundredContinues(count: 20), .hundredContinues(count: .max), .earlyHints, .switchingProtocols, .http10,
        .bareLineFeeds, .headByteByByte,
    ]
}
