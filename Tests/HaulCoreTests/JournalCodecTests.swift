import HaulCore
import Testing

@Suite("Journal codec")
struct JournalCodecTests {
    @Test("A header comes back as it was")
    func headerRoundTrip() throws {
        var bare = JournalHeader.sample(size: nil)
        bare.entityTag = nil
        bare.lastModified = nil
        bare.mediaType = nil
        bare.queryHash = nil
        var elsewhere = JournalHeader.samplePart()
        elsewhere.destination = "/srv/ü/big.iso"
        for header in [.sample(), bare, elsewhere, .sample(size: 0), .sample(size: .max)] {
            let bytes = JournalCodec.encode(header)
            let decoded = try JournalCodec.decodeHeader(bytes.span)
            #expect(decoded.header == header)
            #expect(decoded.length == bytes.count)
        }
    }

    @Test("The bytes are those of the documentation")
    func layout() {
        var header = JournalHeader.sample(size: 258, path: "/a")
        header.entityTag = nil
        header.lastModified = nil
        header.mediaType = nil
        header.queryHash = nil
        header.destination = "/b/a"
        let bytes = header.journal([.finished(FinishedRange(ByteRange(1, 258), checksum: 0x0403_0201))])
        let fields: [[UInt8]] = [
            [1, 0, 0, 0, 8, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0],
            [5, 0, 0, 0, 5, 0, 0, 0] + "https".utf8,
            [6, 0, 0, 0, 11, 0, 0, 0] + "example.com".utf8,
            [7, 0, 0, 0, 4, 0, 0, 0, 0xBB, 1, 0, 0],
            [8, 0, 0, 0, 2, 0, 0, 0] + "/a".utf8,
            [12, 0, 0, 0, 4, 0, 0, 0] + "/b/a".utf8,
        ]
        let body = fields.flatMap(\.self)
        let prefix: [UInt8] = [0x89] + "HAUL\r\n".utf8 + [0x1A, 1, 0, 0, 0, UInt8(body.count + 20), 0, 0, 0]
        #expect(Array(bytes.prefix(prefix.count + body.count)) == prefix + body)
        let record = Array(bytes.suffix(32))
        let fixed: [UInt8] = [1, 0, 0, 0, 1, 2, 3, 4, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0]
        #expect(Array(record.prefix(24)) == fixed)
        #expect(Array(record[24..<28]) == Array(bytes[(bytes.count - 36)..<(bytes.count - 32)]))
    }

    @Test("Texts are cut at 65,536 bytes")
    func longTexts() throws {
        let bytes = JournalCodec.encode(.sample(path: "/" + String(repeating: "x", count: 1_000_000)))
        #expect(try JournalCodec.decodeHeader(bytes.span).header.path.utf8.count == 65_536)
    }

    @Test("Unknown fields are skipped, impossible ones refused")
    func fields() throws {
        func journal(adding field: [UInt8]) -> [UInt8] {
            var bytes = JournalCodec.encode(.sample())
            bytes.removeLast(4)
            bytes += field
            let length = UInt32(bytes.count + 4)
            for index in 0..<4 { bytes[12 + index] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(index))) }
            let checksum = CRC32C.checksum(bytes.span)
            for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index)))) }
            return bytes
        }
        let unknown = journal(adding: [0xFF, 0x7F, 0, 0, 3, 0, 0, 0, 1, 2, 3])
        #expect(try JournalCodec.decodeHeader(unknown.span).header == .sample())
        let impossible: [[UInt8]] = [
            [1],
            [1, 0, 0, 0, 4, 0, 0, 0, 1, 1, 1, 1],
            [1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80],
            [2, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF],
        ]
        for field in impossible {
            let bytes = journal(adding: field)
            #expect(throws: JournalError.impossibleHeader) { try JournalCodec.decodeHeader(bytes.span) }
        }
    }

    @Test("Other versions and other files are told apart")
    func foreign() {
        var bytes = JournalCodec.encode(.sample())
        bytes[8] = 2
        #expect(throws: JournalError.unsupportedVersion(2)) { try JournalCodec.decodeHeader(bytes.span) }
        for bytes in [[], [0x89], [UInt8](repeating: 0, count: 4096), Array("aria2 control file, longer".utf8)] {
            #expect(throws: JournalError.foreign) { try JournalCodec.decodeHeader(bytes.span) }
        }
    }
}
