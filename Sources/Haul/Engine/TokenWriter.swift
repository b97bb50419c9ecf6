import HaulSystem

/// Puts texts and numbers in a row, for a token.
struct TokenWriter {
    private var bytes: [UInt8] = []

    /// Adds a text: its length, and its UTF-8.
    mutating func add(_ text: String) {
        add(Int64(text.utf8.count))
        bytes += text.utf8
    }

    /// Adds a number: 8 bytes, little-endian.
    mutating func add(_ number: Int64) {
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift))) }
    }

    /// Everything, and its CRC-32C.
    var sealed: [UInt8] { bytes + TokenReader.seal(of: bytes[...]) }
}
