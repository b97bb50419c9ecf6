import Haul
import HaulOrigin
import HaulTestSupport
import Testing

/// What an interrupted download comes to when it is run again: right bytes of one version, and nothing lost that was
/// paid for, unless the resource is another one.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct ResumeTests {
    /// What the origin is when the download is run again.
    enum Later: CaseIterable, Sendable {
        case honest
        case strongTagChanged
        case tagAndSizeChanged
        case weakTagOtherBytes, weakTagSameBytes
        case dateOnlyOtherBytes, dateOnlySameBytes
        case noValidatorOtherBytes, noValidatorSameBytes
        /// The server has stopped giving tags: `If-Range` with the old one gets the whole file.
        case tagGoneOtherBytes, tagGoneSameBytes, tagGoneDateChanged, tagGoneAltered
        /// A server that lies: the tag is the same, and so is the date.
        case sameTagOtherBytes
        /// The tag is the same, and `If-Range` with it gets the whole file.
        case ifRangeNeverMatches
        case otherToken
        case otherTokenOtherBytes
        case otherAddressSameBytes
        case otherAddressOtherBytes
        /// Another release that has most blocks in common, so that the overlap is most likely equal.
        case otherAddressAltered
        case rangesGone
        /// Two requests reach a node that serves no ranges.
        case rangesGoneForAWhile
        case everyRangeUnsatisfiable
        case pageWith200
        case pageWith206
        case pageNoValidator
        case gone
        case unavailableForAWhile
        case breaksEverywhere

        /// Whether what is on hand must be used.
        var adopts: Bool {
            switch self {
            case .honest, .weakTagSameBytes, .dateOnlySameBytes, .noValidatorSameBytes, .otherToken,
                .tagGoneSameBytes, .ifRangeNeverMatches, .otherAddressSameBytes, .rangesGoneForAWhile,
                .unavailableForAWhile, .breaksEverywhere:
                true
            default: false
            }
        }

        /// Whether the run must fail, and leave what is on hand.
        var fails: Bool { [.pageWith200, .pageWith206, .pageNoValidator, .gone].contains(self) }
    }

    private static let moments: [Int64] = {
        var random = SeededRandom(seed: 7)
        return (0..<2).map { _ in Int64.random(in: 600_000..<2_600_000, using: &random) }
    }()

    private static func first(_ later: Later) -> OriginResource {
        let resource = OriginResource("/big.bin", size: ResumeBench.size, seed: 1)
        return with(later, resource)
    }

    /// A resource with the validators that the case is about.
    private static func with(_ later: Later, _ resource: OriginResource) -> OriginResource {
        var resource = resource
        switch later {
        case .weakTagOtherBytes, .weakTagSameBytes: resource.behaviors = [.weakETagOnly]
        case .dateOnlyOtherBytes, .dateOnlySameBytes: resource.behaviors = [.dateOnly]
        case .noValidatorOtherBytes, .noValidatorSameBytes, .pageNoValidator: resource.behaviors = [.noValidator]
        default: break
        }
        return resource
    }

    private static func second(_ later: Later) -> OriginResource {
        var resource = first(later)
        switch later {
        case .strongTagChanged: (resource.seed, resource.etag) = (2, "\"v2\"")
        case .tagAndSizeChanged: (resource.seed, resource.etag, resource.size) = (2, "\"v2\"", ResumeBench.size + 7)
        case .weakTagOtherBytes, .dateOnlyOtherBytes, .noValidatorOtherBytes, .otherTokenOtherBytes, .sameTagOtherBytes:
            resource.seed = 2
            if later == .otherTokenOtherBytes { resource.etag = "\"v2\"" }
        case .tagGoneSameBytes: resource.etag = nil
        case .ifRangeNeverMatches: resource.behaviors += [.ifRangeNeverMatches]
        case .tagGoneOtherBytes: (resource.seed, resource.etag) = (2, nil)
        case .tagGoneAltered: (resource.etag, resource.pattern) = (nil, .altered(every: 4, seed: 77))
        case .tagGoneDateChanged: (resource.seed, resource.etag, resource.lastModified) = (2, nil, 1_700_000_900)
        case .otherAddressSameBytes: (resource.path, resource.etag) = ("/mirror/other.bin", "\"m\"")
        case .otherAddressOtherBytes: (resource.path, resource.etag, resource.seed) = ("/mirror/other.bin", "\"m\"", 2)
        case .otherAddressAltered:
            (resource.path, resource.etag) = ("/mirror/other.bin", "\"m\"")
            resource.pattern = .altered(every: 4, seed: 77)
        case .rangesGone: resource.behaviors += [.noRanges]
        case .rangesGoneForAWhile: resource.behaviors += [.rangesLater(requests: 2)]
        case .everyRangeUnsatisfiable: resource.behaviors += [.refusesEveryRange(.withoutField)]
        case .pageWith200, .pageNoValidator: resource.behaviors += [.htmlPage200]
        case .pageWith206: resource.behaviors += [.htmlPage206]
        case .gone: resource.behaviors += [.refuses(status: 404, times: .max, retryAfter: .none)]
        case .unavailableForAWhile: resource.behaviors += [.refuses(status: 503, times: 3, retryAfter: .none)]
        case .breaksEverywhere: resource.behaviors += [.closesEvery(bytes: 200_000)]
        default: break
        }
        return resource
    }

    @Test(arguments: Later.allCases, EngineBench.Wire.allCases)
    func runAgain(_ later: Later, _ wire: EngineBench.Wire) async throws {
        for (round, moment) in Self.moments.enumerated() {
            let bench = ResumeBench(wire, path: TemporaryDirectory.current + "/\(round).bin")
            let isSigned = later == .otherToken || later == .otherTokenOtherBytes
            let first = Self.first(later)
            let sent = try await bench.interrupt(
                first, target: isSigned ? first.path + "?token=first" : nil, after: moment)
            #expect(!FileContents.exists(bench.path))
            let journaled = try bench.journaled()
            // What a socket holds is not received yet; the other wire has none.
            if wire == .scripted { #expect(journaled >= sent - ResumeBench.loss, "\(sent)") }
            let second = Self.second(later)
            let ending = try await bench.resume(second, target: isSigned ? second.path + "?token=second" : nil)
            try await check(ending, later, bench, journaled, second)
        }
    }

    private func check(
        _ ending: EngineBench.Ending, _ later: Later, _ bench: ResumeBench, _ journaled: Int64,
        _ resource: OriginResource
    ) async throws {
        let events = ending.events.map { "\($0)" }
        switch ending.result {
        case .success(let receipt):
            #expect(!later.fails)
            #expect(FileContents.difference(of: bench.path, from: resource) == nil, "\(events)")
            #expect(!FileContents.exists(bench.files.part) && !FileContents.exists(bench.files.journal))
            guard later.adopts else { return }
            #expect(receipt.resumed >= journaled, "\(receipt.resumed) of \(journaled): \(events)")
            let missing = resource.size - receipt.resumed
            // What is compared of the old is no over-fetch: the overlap, and samples where nothing else vouches. A
            // range that is cut gets up to 16 KiB more, which is what libcurl hands out at once, and a slow machine cuts
            // many of the small ones here; what retries may cost is for larger files to tell.
            let handedOut: Int64 = bench.wire == .curl ? 40 * (16 << 10) : 0
            let limit = missing * 105 / 100 + (64 << 10) + handedOut
            #expect(receipt.received <= limit, "\(receipt.received) for \(missing): \(events)")
        case .failure(let error):
            #expect(later.fails, "\(error.code): \(error.message) \(events)")
            #expect(!FileContents.exists(bench.path))
            // The captive network is left, the file is back: nothing was lost.
            let back = try await bench.resume(Self.first(later))
            let receipt = try back.result.get()
            #expect(receipt.resumed >= journaled, "\(receipt.resumed) of \(journaled): \(events)")
            #expect(FileContents.difference(of: bench.path, from: Self.first(later)) == nil)
        }
    }

    /// What a server says of a range beyond the end, when the file is shorter than what is on hand, or empty.
    @Test(arguments: OriginUnsatisfied.allCases, EngineBench.Wire.allCases)
    func theFileIsShorterNow(_ dialect: OriginUnsatisfied, _ wire: EngineBench.Wire) async throws {
        for (round, (size, behaviors)) in [
            (Int64(300_000), []), (300_000, [.noValidator]), (300, [.dateOnly]), (0, [.noValidator]),
        ].enumerated() as EnumeratedSequence<[(Int64, [OriginBehavior])]> {
            // A 206 without a byte of a file without a byte contradicts itself, and is refused in words.
            if dialect == .empty206, size == 0 { continue }
            let bench = ResumeBench(wire, path: TemporaryDirectory.current + "/\(round).bin")
            let first = OriginResource("/big.bin", size: ResumeBench.size, seed: 1, behaviors: behaviors)
            _ = try await bench.interrupt(first, after: 1_500_000)
            var second = first
            (second.size, second.seed, second.etag) = (size, 2, "\"v2\"")
            second.behaviors = behaviors + [.unsatisfiable(dialect)]
            let ending = try await bench.resume(second)
            let events = ending.events.map { "\($0)" }
            if case .failure(let error) = ending.result { Issue.record("\(round): \(error.message) \(events)") }
            #expect(FileContents.difference(of: bench.path, from: second) == nil, "\(round): \(events)")
        }
    }

    @Test(arguments: EngineBench.Wire.allCases)
    func interruptedManyTimes(_ wire: EngineBench.Wire) async throws {
        let resource = OriginResource("/big.bin", size: ResumeBench.size, seed: 5)
        let bench = ResumeBench(wire, path: TemporaryDirectory.current + "/f.bin")
        var random = SeededRandom(seed: 99)
        var sent: Int64 = 0
        for _ in 0..<5 {
            let connections = Int.random(in: 1...8, using: &random)
            sent += try await bench.interrupt(
                resource, after: Int64.random(in: 100_000..<500_000, using: &random),
                bench: EngineBench(wire: wire, connections: connections))
        }
        let ending = try await bench.resume(resource, bench: EngineBench(wire: wire, connections: 3))
        let receipt = try ending.result.get()
        #expect(FileContents.difference(of: bench.path, from: resource) == nil)
        #expect(receipt.resumed > 0)
        guard wire == .scripted else { return }
        sent += ending.requests.reduce(0) { $0 + $1.bodyBytes }
        #expect(sent <= resource.size + 6 * (ResumeBench.loss + (64 << 10)), "\(sent)")
    }

    @Test(arguments: EngineBench.Wire.allCases)
    func digestDecidesAboutAnotherAddress(_ wire: EngineBench.Wire) async throws {
        let bench = ResumeBench(wire, path: TemporaryDirectory.current + "/f.bin")
        let first = OriginResource("/big.bin", size: ResumeBench.size, seed: 1)
        _ = try await bench.interrupt(first, after: 1_500_000)
        var second = first
        (second.path, second.seed) = ("/other.bin", 2)
        try FileContents.write(second.content, 0..<second.size, to: bench.path + ".model")
        let sum = try await ProcessRunner.check("/usr/bin/sha256sum", [bench.path + ".model"])
        var engine = EngineBench(wire: wire)
        engine.checksums = [try .sha256(String(sum.outputText.prefix(64)))]
        let ending = try await bench.resume(second, bench: engine)
        _ = try ending.result.get()
        #expect(FileContents.difference(of: bench.path, from: second) == nil)
    }
}
