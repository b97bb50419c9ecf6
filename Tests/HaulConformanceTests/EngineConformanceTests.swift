import Haul
import HaulOrigin
import HaulTestSupport
import Testing

/// Every conduct of an origin, over both transports: right bytes under the final name, or a named failure and no file.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct EngineConformanceTests {
    /// What a conduct must lead to.
    enum Expectation {
        /// The file, byte for byte.
        case file
        /// The file as it is after the origin's change of mind.
        case changed(OriginChange)
        /// The file as it is on either node, or a named failure.
        case eitherNode(OriginChange)
        /// The empty file.
        case empty
        /// No file; the failure has one of these codes.
        case failure(Set<DownloadError.Code>)
        /// Whatever the origin sent: no program can tell that it is not the file.
        case undetectable
    }

    @Test(arguments: OriginBehavior.allCases, EngineBench.Wire.allCases)
    func rightBytesOrNamedFailure(behavior: OriginBehavior, wire: EngineBench.Wire) async throws {
        let path = TemporaryDirectory.current + "/out.bin"
        let resource = OriginResource(EngineBench.resourcePath, size: EngineBench.size, behavior: behavior)
        var bench = EngineBench(wire: wire)
        // Hundreds of short waits, each of which a busy machine makes longer: at full speed they add up to a stall.
        if behavior == .headByteByByte { bench.speed = 5 }
        let ending = try await bench.run(resource, to: path)
        check(ending, against: expectation(of: behavior, over: wire), resource)
        // No HEAD on the way, and nothing asks for the bytes in another form than they are stored in.
        #expect(ending.requests.allSatisfy { $0.method == "GET" })
        #expect(ending.requests.allSatisfy { $0.request.fields.value("Accept-Encoding") == "identity" })
        if [.htmlPage200, .htmlPage206].contains(behavior) {
            let notices = ending.events.compactMap { if case .notice(let text) = $0 { text } else { nil } }
            #expect(notices.contains { $0.contains("page of HTML") }, "\(notices)")
        }
    }

    @Test(
        arguments: [
            [OriginBehavior.shortRanges(limit: 10_000), .chunkedOverlong(extra: 100)],
            [.blockAlignedStart(block: 10_000), .chunkedOverlong(extra: 5000)],
            [
                .shortRanges(limit: 50_000), .blockAlignedStart(block: 10_000),
                .closesAfterResponses(every: 2, announced: false),
            ],
            [.unknownTotal, .shortRanges(limit: 30_000), .closeDelimitedRanges],
            [.weakETagOnly, .ifRangeNeverMatches, .resetMidBody(after: 60_000)],
        ], EngineBench.Wire.allCases)
    func rightBytesUnderSeveralConductsAtOnce(behaviors: [OriginBehavior], wire: EngineBench.Wire) async throws {
        let path = TemporaryDirectory.current + "/out.bin"
        let resource = OriginResource(EngineBench.resourcePath, size: EngineBench.size, behaviors: behaviors)
        check(try await EngineBench(wire: wire).run(resource, to: path), against: .file, resource)
    }

    /// A file that fits into one block comes in before its place is looked at.
    @Test(arguments: OriginBehavior.allCases, EngineBench.Wire.allCases)
    func rightBytesOfSmallFiles(behavior: OriginBehavior, wire: EngineBench.Wire) async throws {
        let path = TemporaryDirectory.current + "/out.bin"
        let resource = OriginResource(EngineBench.resourcePath, size: 20_000, behavior: behavior)
        var bench = EngineBench(wire: wire)
        if behavior == .headByteByByte { bench.speed = 5 }
        let ending = try await bench.run(resource, to: path)
        let expectation = expectation(of: behavior, over: wire)
        var versions = [resource]
        switch expectation {
        case .file, .empty, .undetectable: return check(ending, against: expectation, resource)
        case .changed(let change), .eitherNode(let change): versions.append(change.changed(resource))
        case .failure: break
        }
        // One request may bring it all before the origin does what it does.
        switch ending.result {
        case .success: #expect(versions.map { FileContents.difference(of: path, from: $0) }.contains(nil))
        case .failure(let error):
            #expect(!FileContents.exists(path))
            guard case .failure(let codes) = expectation else { break }
            #expect(codes.contains(error.code), "\(error.code): \(error.message)")
        }
    }

    private func check(_ ending: EngineBench.Ending, against expectation: Expectation, _ resource: OriginResource) {
        switch (expectation, ending.result) {
        case (.file, .success(let receipt)):
            #expect(receipt.bytes == resource.size)
            #expect(FileContents.difference(of: ending.path, from: resource) == nil)
        case (.changed(let change), .success):
            var versions = [change.changed(resource)]
            // Whoever has asked for all of it before so many bytes were sent has one version, too.
            if case .bytes = change.trigger { versions.append(resource) }
            #expect(versions.contains { FileContents.difference(of: ending.path, from: $0) == nil })
        case (.eitherNode(let change), .success):
            let differences = [resource, change.changed(resource)].map {
                FileContents.difference(of: ending.path, from: $0)
            }
            #expect(differences.contains(nil))
        case (.eitherNode, .failure(let error)):
            #expect(error.code == .resourceChanged)
        // Who races a slow connection has two answers for one range, and finds them different.
        case (.undetectable, .failure(let error)) where error.code == .integrity:
            #expect(!FileContents.exists(ending.path))
        case (.empty, .success):
            #expect(FileContents.size(of: ending.path) == 0)
        case (.undetectable, .success):
            #expect(FileContents.exists(ending.path))
        case (.failure(let codes), .failure(let error)):
            #expect(codes.contains(error.code), "\(error.code): \(error.message)")
            #expect(!FileContents.exists(ending.path))
        case (_, .failure(let error)):
            Issue.record("failed with \(error.code): \(error.message)")
        case (.failure, .success):
            Issue.record("succeeded where only a failure is right")
        }
        if case .success = ending.result {
            #expect(!FileContents.exists(ending.path + ".haul"))
            #expect(!FileContents.exists(ending.path + ".haul-journal"))
        }
    }

    /// What a conduct must lead to, or does lead to over URLSession by one of its exceptions.
    func expectation(of behavior: OriginBehavior, over wire: EngineBench.Wire) -> Expectation {
        let exception = wire == .urlSession ? SessionExceptions.exception(to: behavior)?.expectation : nil
        return exception ?? expectation(of: behavior)
    }

    // No default: whoever adds a conduct says what it must lead to.
    // swift-format-ignore
    func expectation(of behavior: OriginBehavior) -> Expectation {
        switch behavior {
        case .honest, .noRanges, .acceptRangesNone, .ignoresRange, .rangesOnlyOnProbe, .rangesLater: .file
        case .unadvertisedRanges: .file
        case .wrongContentRange, .garbageContentRange, .missingContentRange, .unknownTotal: .file
        case .looselySpelledContentRange, .sliceWith200, .wholeFileWith206, .blockAlignedStart, .shortRanges: .file
        case .lengthContradictsRange, .multipartByteranges, .refusesEveryRange, .unsatisfiable: .file
        case .refusesRangesBeyondEnd, .partsBeyondEnd: .file
        case .shiftedContent, .blankRange, .htmlPage200, .htmlPage206: .undetectable
        case .totalChanges: .failure([.resourceChanged])
        case .gzipAnyway, .gzipTransfer, .partsWithoutEnd: .failure([.refused(status: 0)])
        case .chunkedUnknownLength, .chunkedWithRanges, .chunkedOverlong, .closeDelimited, .closeDelimitedRanges: .file
        case .bothLengthAndChunked, .overlongBody: .file
        case .chunkedCutShort, .chunkedGarbage, .shortBody: .failure([.unreachable])
        case .conflictingLengths, .contentLengthAbsurd, .negativeLength:
            .failure([.refused(status: 0), .unreachable])
        case .zeroLengthFile: .empty
        case .resetMidBody, .closesEvery, .closesBeforeHead, .resetsBeforeHead, .stallBeforeHeaders: .file
        case .stallMidBody, .dripFeed, .oneSlowConnection, .latency, .latencyOf, .closesAfterResponses, .keepAliveLeftovers: .file
        case .changesContent(let change):
            change.trigger == .otherNode ? .eitherNode(change) : change.silently ? .undetectable : .changed(change)
        case .flappingETag, .weakETagOnly, .dateOnly, .noValidator, .validatorOnlyOn200, .ifRangeNeverMatches: .file
        case .ifRangeIgnored, .unquotedETag: .file
        case .bitFlip: .undetectable
        case .redirectChain(let hops): hops <= 20 ? .file : .failure([.refused(status: 302)])
        case .redirectLoop, .redirectToFile, .redirectWithoutLocation, .redirectToGarbage:
            .failure([.refused(status: 302)])
        case .redirectCrossHost, .redirectDowngrade, .signedRedirectExpires, .cookieOnRedirect: .file
        case .refuses(let status, let times, let retryAfter):
            retryAfter == .absurd || times == .max ? .failure([.refused(status: status)]) : .file
        case .connectionCap, .resetBeyondCap, .closeBeyondCap, .newConnectionCap: .file
        case .headForbidden, .headHangs, .headSaysZero: .file
        case .authRequired: .failure([.refused(status: 401)])
        case .endlessHeaders, .notHTTP, .http09, .switchingProtocols: .failure([.unreachable])
        case .hugeHeaders(let bytes): bytes < 100_000 ? .file : .failure([.unreachable])
        case .hundredContinues(let count): count < 32 ? .file : .failure([.unreachable])
        case .earlyHints, .http10, .bareLineFeeds, .headByteByByte: .file
        }
    }
}
