import HaulCore

/// Makes journals whose checksums are right, so that hostile values get past them.
enum RecordsTarget {
    /// The journal that an input describes.
    static func journal(_ bytes: [UInt8]) -> [UInt8] {
        var input = FuzzInput(bytes)
        var journal = header(&input)
        let checksum = Array(journal.suffix(4))
        let size = Int64(input.byte()) << (8 * Int64(input.choice(7)))
        while !input.isEmpty {
            let kind = input.choice(6)
            var record: [UInt8] = [kind == 5 ? input.byte() : kind, 0, 0, 0]
            append(UInt64(input.byte()), 4, to: &record)
            let offset = input.number(near: size)
            append(UInt64(bitPattern: offset), 8, to: &record)
            append(UInt64(bitPattern: input.number(near: size &- offset)), 8, to: &record)
            record += checksum
            append(UInt64(CRC32C.checksum(record.span)), 4, to: &record)
            journal += record
        }
        return journal
    }

    /// Fields in any order and number, with any length that fits and now and then one that does not.
    private static func header(_ input: inout FuzzInput) -> [UInt8] {
        var fields: [UInt8] = []
        // Most inputs have what a header needs.
        if input.choice(8) != 0 {
            for (tag, text) in [(5, "https"), (6, "example.com"), (8, "/big.iso")] {
                add(UInt64(tag), Array(text.utf8), to: &fields)
            }
            add(7, [0xBB, 1, 0, 0], to: &fields)
        }
        for _ in 0..<input.choice(8) {
            let tag = UInt64(input.choice(14))
            switch tag {
            case 1, 9, 10, 11:
                var value: [UInt8] = []
                append(UInt64(bitPattern: input.number(near: 1 << 20)), 8, to: &value)
                add(tag, value, to: &fields)
            case 7: add(tag, [input.byte(), input.byte(), input.byte(), input.byte()], to: &fields)
            case 0: add(UInt64(input.byte()), input.text(), length: UInt64(input.byte()) << 24, to: &fields)
            default: add(tag, input.text(), to: &fields)
            }
        }
        var header = JournalCodec.magic
        append(1, 4, to: &header)
        append(UInt64(20 + fields.count), 4, to: &header)
        header += fields
        append(UInt64(CRC32C.checksum(header.span)), 4, to: &header)
        return header
    }

    private static func add(_ tag: UInt64, _ value: [UInt8], length: UInt64? = nil, to fields: inout [UInt8]) {
        append(tag, 4, to: &fields)
        append(length ?? UInt64(value.count), 4, to: &fields)
        fields += value
    }

    private static func append(_ number: UInt64, _ count: Int, to bytes: inout [UInt8]) {
        for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))) }
    }
}
