import HaulCore
import Testing

@Suite("Journal replay")
struct JournalReplayTests {
    private let mebibyte: Int64 = 1 << 20

    private func coverage(_ replay: JournalReplay) -> ByteRangeSet { ByteRangeSet(replay.finished.map(\.range)) }

    @Test("Neighbours are joined within a window, and their checksums with them")
    func joining() throws {
        var random = JournalRandom(seed: 1)
        let content = random.bytes(100_000)
        let base = 8 * mebibyte - 60_000
        var records: [JournalRecord] = []
        for start in stride(from: 0, to: 100_000, by: 10_000) {
            let part = content.span.extracting(start..<(start + 10_000))
            let lower = base + Int64(start)
            records.append(
                .finished(FinishedRange(ByteRange(lower, lower + 10_000), checksum: CRC32C.checksum(part))))
        }
        records.shuffle(using: &random)
        let replay = try JournalReplay(JournalHeader.sample().journal(records).span)
        #expect(
            replay.finished == [
                FinishedRange(
                    ByteRange(base, 8 * mebibyte), checksum: CRC32C.checksum(content.span.extracting(0..<60_000))),
                FinishedRange(
                    ByteRange(8 * mebibyte, base + 100_000),
                    checksum: CRC32C.checksum(content.span.extracting(60_000..<100_000))),
            ])
        #expect(!replay.wasCut)
    }

    @Test("Forgetting takes what came before, not what comes after")
    func forgetting() throws {
        let old = FinishedRange(ByteRange(0, 100), checksum: 1)
        let other = FinishedRange(ByteRange(200, 300), checksum: 2)
        let new = FinishedRange(ByteRange(0, 100), checksum: 3)
        let bytes = JournalHeader.sample().journal(
            [.finished(old), .finished(other), .forget(ByteRange(50, 60)), .finished(new)])
        #expect(try JournalReplay(bytes.span).finished == [new, other])
    }

    @Test("After a digest mismatch nothing counts, whatever follows")
    func mismatch() throws {
        let range = FinishedRange(ByteRange(0, 100), checksum: 1)
        let bytes = JournalHeader.sample().journal([.finished(range), .digestMismatch, .finished(range)])
        let replay = try JournalReplay(bytes.span)
        #expect(replay.isUntrustworthy)
        #expect(replay.finished.isEmpty)
    }

    @Test("Cut anywhere, a journal says what its whole records said", arguments: 1...4 as ClosedRange<UInt64>)
    func cutEverywhere(seed: UInt64) throws {
        let (records, bytes, headerLength) = randomJournal(seed: seed)
        for length in 0..<bytes.count {
            let cut = Array(bytes.prefix(length))
            guard length >= headerLength else {
                #expect(throws: JournalError.self) { try JournalReplay(cut.span) }
                continue
            }
            let whole = (length - headerLength) / JournalRecord.length
            let replay = try JournalReplay(cut.span)
            #expect(replay.goodLength == headerLength + whole * JournalRecord.length)
            #expect(replay.wasCut == (length != replay.goodLength))
            #expect(coverage(replay) == truth(records.prefix(whole)))
        }
    }

    @Test("With any bit flipped, it says all that the other records said", arguments: 1...2 as ClosedRange<UInt64>)
    func flipEverywhere(seed: UInt64) throws {
        let (records, bytes, headerLength) = randomJournal(seed: seed)
        for index in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << UInt8(bit)
                guard index >= headerLength else {
                    #expect(throws: JournalError.self) { try JournalReplay(flipped.span) }
                    continue
                }
                let hit = (index - headerLength) / JournalRecord.length
                let others = records.enumerated().filter { $0.offset != hit }.map(\.element)
                let isLast = hit == records.count - 1
                let replay = try JournalReplay(flipped.span)
                #expect(replay.goodLength == bytes.count - (isLast ? JournalRecord.length : 0))
                #expect(replay.damagedRecords == (isLast ? 0 : 1))
                #expect(coverage(replay) == truth(others))
            }
        }
    }

    @Test("A block of zeros costs the records that it hits, and more than 64 KiB of it all that follow")
    func zeroedInTheMiddle() throws {
        let header = JournalHeader.sample(size: nil)
        let ranges = (0..<5000).map { FinishedRange(ByteRange($0 * 2, $0 * 2 + 1), checksum: 1) }
        let records = ranges.map { JournalRecord.finished($0) }
        let bytes = header.journal(records)
        let start = JournalCodec.encode(header).count + 100 * JournalRecord.length
        for (zeros, isBridged) in [(4096, true), ((64 << 10) - 32, true), (64 << 10, false)] {
            var damaged = bytes
            damaged.replaceSubrange(start..<start + zeros, with: repeatElement(0, count: zeros))
            let replay = try JournalReplay(damaged.span)
            let lost = zeros / JournalRecord.length
            #expect(replay.finished.count == (isBridged ? 5000 - lost : 100))
            #expect(replay.damagedRecords == (isBridged ? lost : 0))
            #expect(replay.wasCut == !isBridged)
        }
    }

    @Test("Zeroed, shuffled and foreign tails count for nothing", arguments: 1...20 as ClosedRange<UInt64>)
    func tails(seed: UInt64) throws {
        var random = JournalRandom(seed: seed)
        let (records, bytes, headerLength) = randomJournal(seed: seed)
        let kept = Int.random(in: 0...records.count, using: &random)
        let head = Array(bytes.prefix(headerLength + kept * JournalRecord.length))
        // Records of another header's journal are whole, and still not ours.
        let foreign = JournalHeader.sample(path: "/other").journal(records).suffix(JournalRecord.length * 3)
        for tail in [[UInt8](repeating: 0, count: 4096), random.bytes(1000), Array(foreign)] {
            let replay = try JournalReplay((head + tail).span)
            #expect(replay.goodLength == head.count)
            #expect(replay.wasCut)
            #expect(coverage(replay) == truth(records.prefix(kept)))
        }
    }

    @Test(
        "Ranges outside the file end the replay",
        arguments: [
            (-1, 10), (0, 0), (0, -5), (100, 1), (99, 2), (0, 101), (Int64.max, 1), (1, Int64.max), (Int64.min, 1),
            (Int64.max, Int64.max), (50, Int64.max - 49),
        ] as [(Int64, Int64)])
    func impossibleRanges(offset: Int64, length: Int64) throws {
        for kind in [1, 2] as [UInt8] {
            for size in [100, nil] as [Int64?] {
                let header = JournalHeader.sample(size: size)
                let good = JournalRecord.finished(FinishedRange(ByteRange(0, 10), checksum: 1))
                var bytes = header.journal([good])
                bytes += rawRecord(kind: kind, offset: offset, length: length, header: header)
                let replay = try JournalReplay(bytes.span)
                let isLegal =
                    size == nil && offset >= 0 && length > 0 && !offset.addingReportingOverflow(length).overflow
                #expect(replay.wasCut == !isLegal)
                if !isLegal { #expect(replay.finished.count == 1) }
            }
        }
    }

    @Test("Unknown kinds end the replay")
    func unknownKinds() throws {
        let header = JournalHeader.sample()
        for kind in [0, 4, 255] as [UInt8] {
            let bytes = header.journal([]) + rawRecord(kind: kind, offset: 0, length: 1, header: header)
            #expect(try JournalReplay(bytes.span).wasCut)
        }
    }

    @Test("Noise of any length is refused or yields nothing", arguments: 1...200 as ClosedRange<UInt64>)
    func noise(seed: UInt64) {
        var random = JournalRandom(seed: seed)
        var bytes = random.bytes(Int.random(in: 0...2000, using: &random))
        if seed.isMultiple(of: 2) {
            let head = JournalCodec.encode(.sample()).prefix(Int.random(in: 0...100, using: &random))
            bytes = Array(head) + bytes
        }
        #expect(throws: JournalError.self) { try JournalReplay(bytes.span) }
    }

    @Test("A journal that forgets more than any disk loses is refused")
    func forgetfulness() {
        let records = (0...Int64(JournalReplay.maximumForgotten)).map {
            JournalRecord.forget(ByteRange(2 * $0, 2 * $0 + 1))
        }
        let bytes = JournalHeader.sample().journal(records)
        #expect(throws: JournalError.tooManyBadRanges) { try JournalReplay(bytes.span) }
    }

    // MARK: -

    /// The documented meaning, by the most obvious means.
    private func truth(_ records: some Collection<JournalRecord>) -> ByteRangeSet {
        var finished: [ByteRange] = []
        for record in records {
            switch record {
            case .finished(let range): finished.append(range.range)
            case .forget(let range): finished.removeAll { $0.overlaps(range) }
            case .digestMismatch: return ByteRangeSet()
            }
        }
        return ByteRangeSet(finished)
    }

    private func randomJournal(seed: UInt64) -> (records: [JournalRecord], bytes: [UInt8], headerLength: Int) {
        var random = JournalRandom(seed: seed)
        let header = JournalHeader.sample(size: 10_000)
        let records = (0..<12).map { index -> JournalRecord in
            let range = random.range(below: 10_000)
            if index % 4 == 3 { return .forget(ByteRange(range.lowerBound, range.lowerBound + 1)) }
            return .finished(FinishedRange(range, checksum: UInt32.random(in: 0...UInt32.max, using: &random)))
        }
        return (records, header.journal(records), JournalCodec.encode(header).count)
    }

    private func rawRecord(kind: UInt8, offset: Int64, length: Int64, header: JournalHeader) -> [UInt8] {
        var bytes: [UInt8] = [kind, 0, 0, 0, 9, 9, 9, 9]
        for number in [offset, length] {
            for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * Int64(index)))) }
        }
        bytes += JournalCodec.encode(header).suffix(4)
        let checksum = CRC32C.checksum(bytes.span)
        for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index)))) }
        return bytes
    }
}
