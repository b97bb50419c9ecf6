import HaulCore

/// SplitMix64: the same sequence for the same seed, everywhere.
struct JournalRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<count { bytes.append(UInt8.random(in: 0...255, using: &self)) }
        return bytes
    }

    mutating func range(below size: Int64) -> ByteRange {
        let lower = Int64.random(in: 0..<size, using: &self)
        return ByteRange(lower, Int64.random(in: (lower + 1)...size, using: &self))
    }
}

extension JournalHeader {
    /// A header for tests; every field that may be missing is there unless told otherwise.
    static func sample(size: Int64? = 1 << 30, path: String = "/pub/big.iso") -> JournalHeader {
        let url = ResourceURL(
            scheme: "https", host: "example.com", port: 443, path: path, query: nil, userInfo: nil, text: "")
        return JournalHeader(
            url: url, queryHash: 0xFEDC_BA98_7654_3210, size: size, entityTag: "\"v1–ü\"",
            lastModified: "Tue, 01 Jul 2025 10:00:00 GMT", mediaType: "application/octet-stream")
    }

    /// A header for tests of a part of a file.
    static func samplePart(first: Int64 = 4096, length: Int64 = 1 << 20, of size: Int64? = 1 << 30) -> JournalHeader {
        var header = sample(size: length)
        header.firstByte = first
        header.wholeSize = size
        return header
    }

    /// The bytes of a journal with this header.
    func journal(_ records: [JournalRecord]) -> [UInt8] {
        var bytes = JournalCodec.encode(self)
        let checksum = bytes.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        for record in records { JournalCodec.encode(record, headerChecksum: checksum, into: &bytes) }
        return bytes
    }
}
