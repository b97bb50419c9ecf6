import HaulSystem

/// Takes apart what a `TokenWriter` made, whatever somebody has made of it since.
struct TokenReader {
    private var rest: ArraySlice<UInt8>
    /// Whether it is as it was written.
    let isSound: Bool

    /// Begins to read.
    init(_ bytes: [UInt8]) {
        let end = max(0, bytes.count - 4)
        rest = bytes[..<end]
        isSound = bytes.count > 4 && Array(bytes[end...]) == Self.seal(of: bytes[..<end])
    }

    /// Whether everything was read.
    var isAtEnd: Bool { rest.isEmpty }

    /// Reads a text; nil if there is none.
    mutating func text() -> String? {
        guard let length = number(), length >= 0, length <= rest.count else { return nil }
        defer { rest = rest.dropFirst(Int(length)) }
        return String(validating: rest.prefix(Int(length)), as: UTF8.self)
    }

    /// Reads a number; nil if there is none.
    mutating func number() -> Int64? {
        guard rest.count >= 8 else { return nil }
        defer { rest = rest.dropFirst(8) }
        return Int64(bitPattern: rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// CRC-32C of bytes, little-endian.
    static func seal(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        let checksum = HardwareCRC32C.checksum(bytes.span.bytes)
        return stride(from: UInt32(0), to: 32, by: 8).map { UInt8(truncatingIfNeeded: checksum >> $0) }
    }
}
