/// CRC-32C (Castagnoli, RFC 3720 §12.1) by tables, for records of the journal and for joining checksums.
///
/// File contents go through the hardware's version in `HaulSystem`; the values are the same.
package enum CRC32C {
    /// Checksum of `bytes`, or of `bytes` behind what `checksum` already covers.
    ///
    /// - Parameters:
    ///   - bytes: what to add.
    ///   - checksum: what is covered so far; 0 is nothing.
    /// - Returns: the checksum of both.
    package static func checksum(_ bytes: Span<UInt8>, continuing checksum: UInt32 = 0) -> UInt32 {
        let tables = tables
        var crc = ~checksum
        var index = 0
        while index + 4 <= bytes.count {
            crc ^=
                UInt32(bytes[index]) | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2]) << 16
                | UInt32(bytes[index + 3]) << 24
            crc =
                tables[Int(768 + (crc & 255))] ^ tables[Int(512 + (crc >> 8 & 255))]
                ^ tables[Int(256 + (crc >> 16 & 255))] ^ tables[Int(crc >> 24)]
            index += 4
        }
        while index < bytes.count {
            crc = tables[Int((crc ^ UInt32(bytes[index])) & 255)] ^ (crc >> 8)
            index += 1
        }
        return ~crc
    }

    /// Checksum of two runs, one behind the other, without their bytes.
    ///
    /// - Parameters:
    ///   - first: checksum of the first run.
    ///   - second: checksum of the second run.
    ///   - length: length of the second run in bytes; not negative.
    /// - Returns: the checksum of the whole.
    package static func combine(_ first: UInt32, _ second: UInt32, length: Int64) -> UInt32 {
        let powers = powers
        var first = first
        var digits = UInt64(bitPattern: length)
        var row = 0
        while digits != 0 {
            let digit = Int(digits & 255)
            if digit != 0 { first = multiply(powers[row + digit], first) }
            digits >>= 8
            row += 256
        }
        return first ^ second
    }

    /// Four tables of 256: what a byte becomes when 0, 1, 2 or 3 bytes follow it.
    private static let tables: [UInt32] = {
        var tables = (0..<UInt32(256)).map { byte in
            (0..<8).reduce(byte) { crc, _ in (crc >> 1) ^ (polynomial & (0 &- (crc & 1))) }
        }
        for index in 256..<1024 {
            let before = tables[index - 256]
            tables.append(tables[Int(before & 255)] ^ (before >> 8))
        }
        return tables
    }()

    /// Eight rows of 256: entry `d` of row `r` is x^(8·d·256^r), so that a length costs one product per digit.
    private static let powers: [UInt32] = {
        var powers: [UInt32] = []
        powers.reserveCapacity(8 * 256)
        var step: UInt32 = 1 << 23
        for _ in 0..<8 {
            var power: UInt32 = 1 << 31
            for _ in 0..<256 {
                powers.append(power)
                power = multiply(power, step)
            }
            step = power
        }
        return powers
    }()

    private static let polynomial: UInt32 = 0x82F6_3B78

    /// Product of two remainders; bit 31 stands for x^0.
    private static func multiply(_ left: UInt32, _ right: UInt32) -> UInt32 {
        var left = left
        var right = right
        var product: UInt32 = 0
        for _ in 0..<32 {
            product ^= right & (0 &- (left >> 31))
            left <<= 1
            right = (right >> 1) ^ (polynomial & (0 &- (right & 1)))
        }
        return product
    }
}
