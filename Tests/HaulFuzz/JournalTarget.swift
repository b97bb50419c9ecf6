import HaulCore

/// Whatever its bytes are, a journal says no more than its whole records say by the documentation.
enum JournalTarget {
    static func check(_ bytes: [UInt8]) throws(Finding) {
        let replay: JournalReplay
        do { replay = try JournalReplay(bytes.span) } catch { return }
        let head: JournalCodec.DecodedHeader
        do { head = try JournalCodec.decodeHeader(bytes.span) } catch { throw Finding("a replay without a header") }
        try Finding.unless(head.header == replay.header, "two headers")
        let isPossible =
            replay.header.size ?? 0 >= 0 && replay.header.firstByte >= 0 && replay.header.wholeSize ?? 0 >= 0
        try Finding.unless(isPossible, "sizes below zero: \(replay.header)")
        try documented(replay, bytes, head)
        try again(replay, bytes)
        // What a run asks of it.
        let slice = ResourceSlice(replay.header.firstByte, replay.header.firstByte.saturatingAdd(1000))
        _ = slice.isThat(of: replay.header)
        let set = ByteRangeSet(replay.finished.map(\.range))
        try Finding.unless(set.total <= replay.header.size ?? .max, "\(set.total) bytes of \(replay.header)")
        _ = set.gaps(in: ByteRange(0, replay.header.size ?? .max))
    }

    /// Compares with the documentation's words, followed in the most obvious way.
    private static func documented(
        _ replay: JournalReplay, _ bytes: [UInt8], _ head: JournalCodec.DecodedHeader
    ) throws(Finding) {
        var finished: [ByteRange] = []
        var (position, good, damaged) = (head.length, head.length, 0)
        var isUntrustworthy = false
        let size = head.header.size ?? .max
        while position + 32 <= bytes.count, position - good < 65_536 {
            let record = Array(bytes[position..<position + 32])
            position += 32
            guard number(record, 28, 4) == crc(record.prefix(28)), number(record, 24, 4) == UInt64(head.checksum) else {
                continue
            }
            let (offset, length) = (number(record, 8, 8), number(record, 16, 8))
            let (end, overflow) = offset.addingReportingOverflow(length)
            let isRange = length > 0 && !overflow && end <= UInt64(size)
            switch number(record, 0, 4) {
            case 1 where isRange: finished.append(ByteRange(Int64(offset), Int64(end)))
            case 2 where isRange:
                let forgotten = ByteRange(Int64(offset), Int64(end))
                finished.removeAll { $0.overlaps(forgotten) }
            case 3 where offset == 0 && length == 0: isUntrustworthy = true
            default: continue
            }
            damaged += (position - good) / 32 - 1
            good = position
        }
        if isUntrustworthy { finished = [] }
        try Finding.unless(replay.goodLength == good, "\(replay.goodLength) good bytes, not \(good)")
        try Finding.unless(replay.wasCut == (good != bytes.count), "cut or not")
        try Finding.unless(replay.damagedRecords == damaged, "\(replay.damagedRecords) damaged, not \(damaged)")
        try Finding.unless(replay.isUntrustworthy == isUntrustworthy, "trusted or not")
        let (said, truth) = (ByteRangeSet(replay.finished.map(\.range)), ByteRangeSet(finished))
        try Finding.unless(said == truth, "says \(said), the records say \(truth)")
        try Finding.unless(replay.finished.count <= finished.count, "more ranges than records")
        let starts = replay.finished.map(\.range.lowerBound)
        try Finding.unless(starts == starts.sorted(), "not ascending")
    }

    /// What is whole reads the same again, and so does the header when it is written anew.
    private static func again(_ replay: JournalReplay, _ bytes: [UInt8]) throws(Finding) {
        let whole = Array(bytes.prefix(replay.goodLength))
        do {
            let second = try JournalReplay(whole.span)
            guard second.finished == replay.finished, !second.wasCut else { throw Finding("its own good part differs") }
        } catch {
            throw Finding("its own good part is refused: \(error)")
        }
        let written = JournalCodec.encode(replay.header)
        do {
            let read = try JournalCodec.decodeHeader(written.span)
            guard read.header == replay.header else { throw Finding("\(replay.header) reads as \(read.header)") }
        } catch {
            throw Finding("its header is refused when written anew: \(error)")
        }
    }

    private static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt64 {
        bytes[start..<start + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// CRC-32C bit by bit (RFC 3720 §12.1).
    private static func crc(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var crc: UInt32 = .max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1 == 0 ? 0 : 0x82F6_3B78) }
        }
        return UInt64(~crc)
    }
}
