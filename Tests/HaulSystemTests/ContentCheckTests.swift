import HaulCore
import HaulSystem
import HaulTestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Content check", .inTurn)
struct ContentCheckTests {
    private let scratch: ScratchDirectory
    private let part: PartFile
    private let thread = ThreadExecutor(name: "haul.check")

    init() throws {
        scratch = try ScratchDirectory()
        part = try PartFile.create(scratch("a.haul"))
    }

    private func put(_ bytes: [UInt8], at offset: Int64) throws { try part.write(bytes.span.bytes, at: offset) }

    /// The whole of `content` in ranges of random length.
    private func pieces(_ content: [UInt8], _ random: inout DiskRandom) -> [FinishedRange] {
        var pieces: [FinishedRange] = []
        var position = 0
        while position < content.count {
            let count = min(content.count - position, Int.random(in: 1...700_000, using: &random))
            pieces.append(Array(content[position..<(position + count)]).finished(at: Int64(position)))
            position += count
        }
        return pieces
    }

    private func digests(
        _ content: [UInt8], _ algorithms: [ContentDigest.Algorithm]
    ) throws -> [ContentDigest] {
        try algorithms.map { try MessageDigest.digest($0, of: content.span.bytes) }
    }

    @Test("Digests are right whatever the order of arrival", arguments: 1...10 as ClosedRange<UInt64>)
    func anyOrder(seed: UInt64) async throws {
        var random = DiskRandom(seed: seed)
        let content = random.bytes(5_000_000)
        let algorithms: [ContentDigest.Algorithm] = seed.isMultiple(of: 2) ? [.sha256, .crc32c] : [.md5]
        let check = ContentCheck(part: part, digests: algorithms, thread: thread)
        var ranges = pieces(content, &random).shuffled(using: &random)
        // Raced ones: the same bytes twice, in other pieces.
        for _ in 0..<5 {
            let lower = Int.random(in: 0..<4_000_000, using: &random)
            let upper = lower + Int.random(in: 1...1_000_000, using: &random)
            ranges.insert(
                Array(content[lower..<upper]).finished(at: Int64(lower)), at: Int.random(in: 0...5, using: &random))
        }
        for range in ranges {
            try put(content[range.range], at: range.range.lowerBound)
            check.add([range])
            if Int.random(in: 0..<4, using: &random) == 0 { await Task.yield() }
        }
        let report = await check.finish(size: Int64(content.count))
        #expect(report.isGood)
        #expect(try report.digests == digests(content, algorithms))
        #expect(check.checkedBytes == Int64(content.count))
    }

    @Test("Without digests ranges are checked as they come")
    func withoutDigests() async throws {
        var random = DiskRandom(seed: 3)
        let content = random.bytes(3_000_000)
        try put(content, at: 0)
        let check = ContentCheck(part: part, digests: [], thread: thread)
        check.add(pieces(content, &random).shuffled(using: &random))
        let report = await check.finish(size: 3_000_000)
        #expect(report == ContentReport.good)
    }

    @Test("A flipped bit spoils its range and no other", arguments: 1...8 as ClosedRange<UInt64>)
    func flippedBit(seed: UInt64) async throws {
        var random = DiskRandom(seed: seed)
        let content = random.bytes(4_000_000)
        try put(content, at: 0)
        let algorithms: [ContentDigest.Algorithm] = seed.isMultiple(of: 2) ? [.sha1] : []
        let check = ContentCheck(part: part, digests: algorithms, thread: thread)
        let ranges = pieces(content, &random)
        let victim = try #require(ranges.randomElement(using: &random))
        let offset = Int64.random(in: victim.range.lowerBound..<victim.range.upperBound, using: &random)
        try put(bytes(content[Int(offset)] ^ 4), at: offset)
        check.add(ranges.shuffled(using: &random))
        var report = await check.finish(size: 4_000_000)
        #expect(report.bad == [victim])
        #expect(report.missing == [victim.range])
        #expect(report.digests.isEmpty)
        #expect(!report.isGood)

        // Fetched again, in two pieces.
        check.forget(victim.range)
        try put(content[victim.range], at: victim.range.lowerBound)
        let (head, tail) = victim.range.split(at: victim.range.lowerBound + victim.range.length / 2)
        for range in [tail, head] where !range.isEmpty {
            check.add([content[range].finished(at: range.lowerBound)])
        }
        report = await check.finish(size: 4_000_000)
        #expect(report.isGood)
        #expect(try report.digests == digests(content, algorithms))
    }

    @Test(
        "A later write with other bytes spoils what was good before",
        arguments: [[], [.sha256]] as [[ContentDigest.Algorithm]])
    func writtenOver(algorithms: [ContentDigest.Algorithm]) async throws {
        var random = DiskRandom(seed: 8)
        let content = random.bytes(2_000_000)
        try put(content, at: 0)
        let check = ContentCheck(part: part, digests: algorithms, thread: thread)
        let first = Array(content[..<1_000_000]).finished(at: 0)
        let second = Array(content[1_000_000...]).finished(at: 1_000_000)
        check.add([first, second])
        #expect(await check.finish(size: 2_000_000).isGood)
        // The loser of a race, from a server with another version.
        let other = random.bytes(500_000)
        try put(other, at: 200_000)
        check.add([other.finished(at: 200_000)])
        let report = await check.finish(size: 2_000_000)
        #expect(report.bad == [first])
        #expect(report.digests.isEmpty)
        check.forget(first.range)
        try put(content[first.range], at: 0)
        check.add([first])
        let repaired = await check.finish(size: 2_000_000)
        #expect(repaired.isGood)
        #expect(try repaired.digests == digests(content, algorithms))
    }

    @Test(
        "What was good before something changed the file is read again",
        arguments: [[], [ContentDigest.Algorithm.sha256]])
    func distrust(algorithms: [ContentDigest.Algorithm]) async throws {
        var random = DiskRandom(seed: 12)
        let content = random.bytes(2_000_000)
        try put(content, at: 0)
        let check = ContentCheck(part: part, digests: algorithms, thread: thread)
        let ranges = pieces(content, &random)
        check.add(ranges)
        #expect(await check.finish(size: 2_000_000).isGood)
        try put(bytes(content[5] ^ 1), at: 5)
        check.distrust()
        let report = await check.finish(size: 2_000_000)
        #expect(report.bad.map(\.range) == [ranges[0].range])
        try put(bytes(content[5]), at: 5)
        check.forget(ranges[0].range)
        check.add([ranges[0]])
        #expect(try await check.finish(size: 2_000_000).digests == digests(content, algorithms))
    }

    @Test("Gaps, a short file and an empty one are seen")
    func coverage() async throws {
        let check = ContentCheck(part: part, digests: [.sha256], thread: thread)
        let empty = await check.finish(size: 0)
        #expect(try empty.digests == digests([], [.sha256]))
        let content = [UInt8](repeating: 3, count: 1000)
        try put(Array(content.prefix(600)), at: 0)
        check.add([Array(content[..<300]).finished(at: 0), Array(content[400...]).finished(at: 400)])
        let report = await check.finish(size: 1000)
        #expect(report.bad.map(\.range) == [ByteRange(400, 1000)])
        #expect(report.missing == [ByteRange(300, 1000)])
        #expect(report.digests.isEmpty)
    }

    @Test("After a reset only the new bytes count")
    func resets() async throws {
        let check = ContentCheck(part: part, digests: [.sha256], thread: thread)
        try put([UInt8](repeating: 1, count: 1000), at: 0)
        check.add([[UInt8](repeating: 2, count: 1000).finished(at: 0)])
        check.reset()
        let content = [UInt8](repeating: 3, count: 500)
        try part.truncate()
        try put(content, at: 0)
        check.add([content.finished(at: 0)])
        let report = await check.finish(size: 500)
        #expect(report.isGood)
        #expect(try report.digests == digests(content, [.sha256]))
    }

    @Test("Cancelled, it ends soon and claims nothing", .timeLimit(.minutes(10)))
    func cancels() async throws {
        // 256 GiB of nothing: hashing it takes minutes.
        try part.truncate(256 << 30)
        let check = ContentCheck(part: part, digests: [.sha512], thread: thread)
        check.add([FinishedRange(ByteRange(0, 256 << 30), checksum: 0)])
        let task = Task { await check.finish(size: 256 << 30) }
        while check.checkedBytes == 0 { await Task.yield() }
        task.cancel()
        let report = await task.value
        #expect(!report.isGood)
        #expect(report.digests.isEmpty)
    }

    #if DEBUG
        @Test("A disk that does not give back is told, and its range is bad")
        func readError() async throws {
            var random = DiskRandom(seed: 4)
            let content = random.bytes(1_000_000)
            try put(content, at: 0)
            let plan = FaultPlan(for: scratch.path)
            plan.disturb(.pread, nth: 2, .error(EIO))
            plan.install()
            defer { plan.remove() }
            let check = ContentCheck(part: part, digests: [.sha256], thread: thread)
            check.add([Array(content[..<500_000]).finished(at: 0), Array(content[500_000...]).finished(at: 500_000)])
            let report = await check.finish(size: 1_000_000)
            #expect(report.readError?.number == EIO)
            #expect(report.bad.map(\.range) == [ByteRange(0, 500_000)])
            #expect(report.digests.isEmpty)
        }
    #endif
}

extension ContentReport {
    fileprivate static var good: ContentReport {
        ContentReport(bad: [], missing: [], digests: [], readError: nil, isFinished: true)
    }
}
