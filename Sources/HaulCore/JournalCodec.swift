/// The journal's format, version 1: bytes from header and records, and back.
///
/// All numbers are little-endian. The header is
///
/// | Offset | Length | Content |
/// | --- | --- | --- |
/// | 0 | 8 | magic: `89 48 41 55 4C 0D 0A 1A` (`\x89HAUL\r\n\x1A`) |
/// | 8 | 2 | version: 1 |
/// | 10 | 2 | zero |
/// | 12 | 4 | length H of the header, its checksum included |
/// | 16 | H − 20 | fields, one behind the other |
/// | H − 4 | 4 | CRC-32C of bytes 0 to H − 5 |
///
/// A field is a tag (2 bytes), two zero bytes, the length of its value (4 bytes) and the value. Tags: 1 size of the
/// file (8 bytes), 2 `ETag`, 3 `Last-Modified`, 4 media type, 5 scheme, 6 host, 7 port (4 bytes), 8 path, 9 hash of
/// the query (8 bytes), 10 first byte of a slice (8 bytes), 11 size of the resource it is cut from (8 bytes), 12 path of
/// the finished file. Texts are UTF-8, at most 65,536 bytes. What is unknown is left out, fields with other tags are
/// skipped, and of two fields with one tag the last counts. Scheme, host, port and path must be there.
///
/// From H on follow records of 32 bytes:
///
/// | Offset | Length | Content |
/// | --- | --- | --- |
/// | 0 | 4 | kind: 1 finished, 2 forget, 3 digest mismatch |
/// | 4 | 4 | CRC-32C of the range's bytes; zero unless the kind is 1 |
/// | 8 | 8 | offset of the range; zero if the kind is 3 |
/// | 16 | 8 | length of the range, at least 1; zero if the kind is 3 |
/// | 24 | 4 | the header's CRC-32C: binds the record to this journal |
/// | 28 | 4 | CRC-32C of bytes 0 to 27 |
package enum JournalCodec {
    /// The first eight bytes.
    ///
    /// The high bit, CR LF and the end-of-file mark betray transfers that alter bytes.
    package static let magic: [UInt8] = [0x89, 0x48, 0x41, 0x55, 0x4C, 0x0D, 0x0A, 0x1A]
    /// The version that is written, and the only one that is read.
    package static let version = 1
    /// Length of the header before its fields.
    private static let prefixLength = 16
    /// Texts are cut here: no server needs more, and a header stays far below its limit.
    private static let textLimit = 65_536

    private enum Tag: UInt16 {
        case size = 1
        case entityTag, lastModified, mediaType, scheme, host, port, path, queryHash, firstByte, wholeSize,
            destination
    }

    // MARK: - Writing

    /// The bytes of a header, its checksum included: the last four.
    package static func encode(_ header: JournalHeader) -> [UInt8] {
        var fields: [UInt8] = []
        func add(_ tag: Tag, _ value: some Collection<UInt8>) {
            append(tag.rawValue, to: &fields)
            append(UInt16(0), to: &fields)
            append(UInt32(value.count), to: &fields)
            fields.append(contentsOf: value)
        }
        func add(_ tag: Tag, _ text: String?) {
            if let text { add(tag, text.utf8.prefix(textLimit)) }
        }
        if let size = header.size { add(.size, littleEndian(UInt64(bitPattern: size))) }
        add(.entityTag, header.entityTag)
        add(.lastModified, header.lastModified)
        add(.mediaType, header.mediaType)
        add(.scheme, header.scheme)
        add(.host, header.host)
        add(.port, littleEndian(UInt32(truncatingIfNeeded: header.port)))
        add(.path, header.path)
        if let hash = header.queryHash { add(.queryHash, littleEndian(hash)) }
        if header.firstByte != 0 || header.wholeSize != header.size {
            add(.firstByte, littleEndian(UInt64(bitPattern: header.firstByte)))
            if let size = header.wholeSize { add(.wholeSize, littleEndian(UInt64(bitPattern: size))) }
        }
        add(.destination, header.destination)

        var bytes = magic
        append(UInt16(version), to: &bytes)
        append(UInt16(0), to: &bytes)
        append(UInt32(prefixLength + fields.count + 4), to: &bytes)
        bytes.append(contentsOf: fields)
        append(CRC32C.checksum(bytes.span), to: &bytes)
        return bytes
    }

    /// Appends the 32 bytes of a record.
    ///
    /// - Parameters:
    ///   - record: what to say.
    ///   - headerChecksum: checksum of the journal's header.
    ///   - bytes: where to put them.
    package static func encode(_ record: JournalRecord, headerChecksum: UInt32, into bytes: inout [UInt8]) {
        let start = bytes.count
        let (kind, checksum, range): (UInt32, UInt32, ByteRange) =
            switch record {
            case .finished(let finished): (1, finished.checksum, finished.range)
            case .forget(let range): (2, 0, range)
            case .digestMismatch: (3, 0, ByteRange(0, 0))
            }
        append(kind, to: &bytes)
        append(checksum, to: &bytes)
        append(UInt64(bitPattern: range.lowerBound), to: &bytes)
        append(UInt64(bitPattern: range.length), to: &bytes)
        append(headerChecksum, to: &bytes)
        append(CRC32C.checksum(bytes.span.extracting(start..<(start + 28))), to: &bytes)
    }

    // MARK: - Reading

    /// A header that was read: what it says, how long it is, and its checksum.
    package struct DecodedHeader: Hashable, Sendable {
        /// What it says.
        package let header: JournalHeader
        /// Its length in bytes: where records begin.
        package let length: Int
        /// Its CRC-32C, which every record repeats.
        package let checksum: UInt32
    }

    /// Reads a header.
    ///
    /// - Parameter bytes: the journal from its first byte.
    /// - Returns: the header.
    /// - Throws: why there is none.
    package static func decodeHeader(_ bytes: Span<UInt8>) throws(JournalError) -> DecodedHeader {
        guard bytes.count >= prefixLength else { throw .foreign }
        for index in magic.indices where bytes[index] != magic[index] { throw .foreign }
        let declaredVersion = Int(UInt16(truncatingIfNeeded: number(bytes, at: 8, length: 2)))
        guard declaredVersion == version else { throw .unsupportedVersion(declaredVersion) }
        let length = Int(number(bytes, at: 12, length: 4))
        guard length >= prefixLength + 4, length <= bytes.count else { throw .damagedHeader }
        let checksum = UInt32(number(bytes, at: length - 4, length: 4))
        guard CRC32C.checksum(bytes.extracting(0..<(length - 4))) == checksum else { throw .damagedHeader }
        let header = try decodeFields(bytes.extracting(prefixLength..<(length - 4)))
        return DecodedHeader(header: header, length: length, checksum: checksum)
    }

    private static func decodeFields(_ bytes: Span<UInt8>) throws(JournalError) -> JournalHeader {
        var texts: [Tag: String] = [:]
        var numbers: [Tag: UInt64] = [:]
        var position = 0
        while position < bytes.count {
            guard bytes.count - position >= 8 else { throw .impossibleHeader }
            let tag = Tag(rawValue: UInt16(truncatingIfNeeded: number(bytes, at: position, length: 2)))
            let length = Int(number(bytes, at: position + 4, length: 4))
            position += 8
            guard length <= bytes.count - position else { throw .impossibleHeader }
            switch tag {
            case .size, .queryHash, .port, .firstByte, .wholeSize:
                guard let tag, length == (tag == .port ? 4 : 8) else { throw .impossibleHeader }
                numbers[tag] = number(bytes, at: position, length: length)
            case .some(let tag):
                var text: [UInt8] = []
                text.reserveCapacity(length)
                for index in position..<(position + length) { text.append(bytes[index]) }
                texts[tag] = String(decoding: text, as: UTF8.self)
            case nil:
                break
            }
            position += length
        }
        guard let scheme = texts[.scheme], let host = texts[.host], let path = texts[.path],
            let port = numbers[.port]
        else { throw .impossibleHeader }
        let size = numbers[.size].map { Int64(bitPattern: $0) }
        if let size, size < 0 { throw .impossibleHeader }
        let url = ResourceURL(
            scheme: scheme, host: host, port: Int(port), path: path, query: nil, userInfo: nil, text: "")
        var header = JournalHeader(
            url: url, queryHash: numbers[.queryHash], size: size, entityTag: texts[.entityTag],
            lastModified: texts[.lastModified], mediaType: texts[.mediaType])
        header.destination = texts[.destination]
        if let first = numbers[.firstByte] {
            header.firstByte = Int64(bitPattern: first)
            header.wholeSize = numbers[.wholeSize].map { Int64(bitPattern: $0) }
        }
        guard header.firstByte >= 0, header.wholeSize ?? 0 >= 0 else { throw .impossibleHeader }
        return header
    }

    /// Reads the record at `position`.
    ///
    /// - Parameters:
    ///   - bytes: the journal; 32 bytes must be there from `position` on.
    ///   - position: where the record begins.
    ///   - headerChecksum: checksum of the journal's header.
    ///   - size: size of the file; `Int64.max` if it is unknown.
    /// - Returns: the record; nil if its checksum is wrong, it belongs to another journal, its kind is unknown or its
    ///   range is not within the file.
    package static func decodeRecord(
        _ bytes: Span<UInt8>, at position: Int, headerChecksum: UInt32, size: Int64
    ) -> JournalRecord? {
        guard CRC32C.checksum(bytes.extracting(position..<(position + 28))) == number32(bytes, at: position + 28),
            number32(bytes, at: position + 24) == headerChecksum
        else { return nil }
        let offset = Int64(bitPattern: number(bytes, at: position + 8, length: 8))
        let length = Int64(bitPattern: number(bytes, at: position + 16, length: 8))
        let kind = number32(bytes, at: position)
        if kind == 3 { return offset == 0 && length == 0 ? .digestMismatch : nil }
        guard offset >= 0, length > 0, offset < size, length <= size - offset else { return nil }
        let range = ByteRange(offset, offset + length)
        switch kind {
        case 1: return .finished(FinishedRange(range, checksum: number32(bytes, at: position + 4)))
        case 2: return .forget(range)
        default: return nil
        }
    }

    // MARK: - Numbers

    private static func number(_ bytes: Span<UInt8>, at position: Int, length: Int) -> UInt64 {
        var number: UInt64 = 0
        for index in 0..<length { number |= UInt64(bytes[position + index]) << (8 * UInt64(index)) }
        return number
    }

    private static func number32(_ bytes: Span<UInt8>, at position: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: number(bytes, at: position, length: 4))
    }

    private static func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        var bytes: [UInt8] = []
        append(number, to: &bytes)
        return bytes
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        for index in 0..<(number.bitWidth / 8) { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
}
