import Glibc
import Haul
import HaulCore
import HaulOrigin
import HaulTestSupport
import Testing

/// Partials and journals that somebody cut, changed or took away between two runs.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct DamageTests {
    /// What happened to the files.
    enum Damage: CaseIterable, Sendable {
        case journalCut, journalCutInHeader, journalFlipped, journalHeaderFlipped, journalZeroed, journalZeroTail
        case journalForeign, journalEmpty, journalHuge, journalMissing, firstRecordFlipped
        case partialShorter, partialLonger, partialEmpty, partialMissing, partialFlipped, partialZeroed

        /// Whether at least a part of what was there must be used.
        var keepsSome: Bool {
            switch self {
            case .journalCut, .journalZeroTail, .firstRecordFlipped, .partialShorter, .partialLonger: true
            case .journalCutInHeader, .journalFlipped, .journalHeaderFlipped, .journalZeroed, .journalForeign,
                .journalEmpty, .journalHuge, .journalMissing, .partialEmpty, .partialMissing, .partialFlipped,
                .partialZeroed:
                false
            }
        }

        /// Whether the user must be told that something is fetched again.
        var isTold: Bool {
            // What is cut off the end need not have held anything, and nobody misses what is gone as a whole.
            self != .partialMissing && self != .partialLonger && self != .partialShorter
        }
    }

    private static let resource = OriginResource("/big.bin", size: ResumeBench.size, seed: 8)

    private func apply(_ damage: Damage, _ part: String, _ journal: String) throws {
        var bytes = try FileContents.read(journal)
        switch damage {
        case .journalCut: bytes.removeLast(7)
        case .journalCutInHeader: bytes = Array(bytes.prefix(20))
        case .journalFlipped: bytes[bytes.count * 2 / 3] ^= 0x10
        case .firstRecordFlipped: bytes[try JournalCodec.decodeHeader(bytes.span).length + 9] ^= 0x10
        case .journalHeaderFlipped: bytes[12] ^= 0xFF
        case .journalZeroed: bytes = Array(repeating: 0, count: bytes.count)
        case .journalZeroTail: bytes.replaceSubrange((bytes.count - 20)..., with: repeatElement(0, count: 20))
        case .journalForeign: bytes = Array("{\"downloads\": [1, 2, 3]}\n".utf8) + bytes
        case .journalEmpty: bytes = []
        case .journalHuge:
            truncate(journal, 1 << 40)
            return
        case .journalMissing:
            unlink(journal)
            return
        case .partialShorter: truncate(part, off_t(try #require(FileContents.size(of: part)) * 9 / 10))
        case .partialLonger: truncate(part, off_t(ResumeBench.size + 100_000))
        case .partialEmpty: truncate(part, 0)
        case .partialMissing: unlink(part)
        case .partialFlipped:
            let flipped = ~Self.resource.content.byte(at: 50_000)
            try FileContents.write([flipped], to: part, at: 50_000)
        case .partialZeroed:
            let size = try #require(FileContents.size(of: part))
            truncate(part, 0)
            truncate(part, off_t(size))
        }
        if try FileContents.read(journal) != bytes { try FileContents.write(bytes, to: journal) }
    }

    @Test(arguments: Damage.allCases, EngineBench.Wire.allCases)
    func rightBytesAllTheSame(_ damage: Damage, _ wire: EngineBench.Wire) async throws {
        let bench = ResumeBench(wire, path: TemporaryDirectory.current + "/f.bin")
        _ = try await bench.interrupt(Self.resource, after: 2_200_000)
        try apply(damage, bench.files.part, bench.files.journal)
        let ending = try await bench.resume(Self.resource)
        let receipt = try ending.result.get()
        #expect(FileContents.difference(of: bench.path, from: Self.resource) == nil)
        #expect(FileContents.names(in: TemporaryDirectory.current) == ["f.bin"])
        if damage.keepsSome { #expect(receipt.resumed > 0) }
        if damage.isTold {
            #expect(ending.events.contains { if case .notice = $0 { true } else { false } }, "\(ending.events)")
        }
        // A range that is cut gets up to 16 KiB more, which is what libcurl hands out at once; a slow machine cuts many.
        let handedOut: Int64 = wire == .curl ? 40 * (16 << 10) : 0
        #expect(receipt.received <= Self.resource.size * 105 / 100 + (64 << 10) + handedOut)
    }

    @Test(arguments: EngineBench.Wire.allCases)
    func flippedByteBeforeTheGapIsNoNewVersion(_ wire: EngineBench.Wire) async throws {
        let bench = ResumeBench(wire, path: TemporaryDirectory.current + "/f.bin")
        var records: [FinishedRange] = []
        var gap: Int64 = 0
        // On a busy machine the first connection may not have had its turn yet.
        for _ in 0..<10 where gap == 0 {
            _ = try await bench.interrupt(Self.resource, after: 700_000)
            records = try bench.replay().finished
            let finished = ByteRangeSet(records.map(\.range))
            gap = try #require(finished.gaps(in: ByteRange(0, ResumeBench.size)).first?.lowerBound)
        }
        try #require(gap > 0)
        let flipped = ~Self.resource.content.byte(at: gap - 1)
        try FileContents.write([flipped], to: bench.files.part, at: gap - 1)
        let ending = try await bench.resume(Self.resource)
        let receipt = try ending.result.get()
        #expect(FileContents.difference(of: bench.path, from: Self.resource) == nil)
        let isNotice = ending.events.map { if case .notice = $0 { true } else { false } }
        let isRestart = ending.events.map { if case .restarted = $0 { true } else { false } }
        #expect(isNotice.contains(true) && !isRestart.contains(true), "\(ending.events)")
        // Only the range with the byte is lost.
        let edge = ByteRange(max(0, gap - (128 << 10)), gap)
        let kept = ByteRangeSet(records.map(\.range).filter { !$0.overlaps(edge) }).total
        #expect(receipt.resumed >= kept, "\(receipt.resumed) of \(kept)")
    }

    @Test(arguments: 0..<24)
    func journalsOfRandomDamage(seed: UInt64) async throws {
        let bench = ResumeBench(.scripted, path: TemporaryDirectory.current + "/f.bin")
        _ = try await bench.interrupt(Self.resource, after: 1_800_000)
        var random = SeededRandom(seed: seed)
        var bytes = try FileContents.read(bench.files.journal)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] = UInt8.random(in: .min ... .max, using: &random)
        }
        if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
        try FileContents.write(bytes, to: bench.files.journal)
        let ending = try await bench.resume(Self.resource)
        _ = try ending.result.get()
        #expect(FileContents.difference(of: bench.path, from: Self.resource) == nil, "seed \(seed)")
    }
}
