/// What the bytes of a journal come to.
///
/// Made for the worst input: whatever the bytes are, this ends in time that grows with their number, takes memory in
/// proportion to it, and believes no record that is not whole. What is not is passed over, since each record vouches for
/// itself: a flipped bit or a block of zeros costs only the records that it hits.
package struct JournalReplay: Hashable, Sendable {
    /// The header.
    package let header: JournalHeader
    /// Checksum of the header, which further records must repeat.
    package let headerChecksum: UInt32
    /// What counts as finished, ascending, joined within windows of 8 MiB; ranges may overlap.
    package let finished: [FinishedRange]
    /// Number of bytes up to the end of the last record that counts: further ones go here, the rest is to be cut off.
    package let goodLength: Int
    /// Whether the bytes ended in something that is no whole record.
    package let wasCut: Bool
    /// Number of places for a record, before the last one that counts, that hold none.
    package let damagedRecords: Int
    /// Whether the content as a whole failed its digest, so that `finished` is empty.
    package let isUntrustworthy: Bool

    /// Ranges that may be forgotten in one journal.
    ///
    /// Each costs a search per record, and a disk with more is broken.
    package static let maximumForgotten = 16_384
    /// Bytes without a record behind which none is looked for: a file may be large, and hold nothing.
    package static let maximumGap = 64 << 10

    /// Replays a journal.
    ///
    /// - Parameter bytes: the whole file.
    /// - Throws: why nothing of it counts.
    package init(_ bytes: Span<UInt8>) throws(JournalError) {
        let head = try JournalCodec.decodeHeader(bytes)
        let size = head.header.size ?? Int64.max
        var records: [JournalRecord] = []
        records.reserveCapacity((bytes.count - head.length) / JournalRecord.length)
        var position = head.length
        var end = head.length
        var forgets = 0
        var mismatch = false
        while bytes.count - position >= JournalRecord.length, position - end < Self.maximumGap {
            defer { position += JournalRecord.length }
            guard
                let record = JournalCodec.decodeRecord(
                    bytes, at: position, headerChecksum: head.checksum, size: size)
            else { continue }
            switch record {
            case .finished: break
            case .forget: forgets += 1
            case .digestMismatch: mismatch = true
            }
            records.append(record)
            end = position + JournalRecord.length
        }
        guard forgets <= Self.maximumForgotten else { throw .tooManyBadRanges }
        header = head.header
        headerChecksum = head.checksum
        goodLength = end
        wasCut = end != bytes.count
        damagedRecords = (end - head.length) / JournalRecord.length - records.count
        isUntrustworthy = mismatch
        finished = mismatch ? [] : Self.survivors(of: records).joined()
    }

    /// The finished ranges that no later record forgets.
    ///
    /// A range of which only a part is forgotten goes as a whole: its checksum can't be split. Read from the end, so
    /// that one set of forgotten offsets serves every record before it.
    private static func survivors(of records: [JournalRecord]) -> [FinishedRange] {
        var forgotten = ByteRangeSet()
        var survivors: [FinishedRange] = []
        survivors.reserveCapacity(records.count)
        for record in records.reversed() {
            switch record {
            case .finished(let finished):
                if forgotten.isEmpty || !forgotten.overlaps(finished.range) { survivors.append(finished) }
            case .forget(let range): forgotten.insert(range)
            case .digestMismatch: return []
            }
        }
        return survivors
    }
}
