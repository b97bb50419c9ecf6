import CChecksum

/// CRC-32C by the processor's instructions where it has them; the same values as `CRC32C` in Core.
package enum HardwareCRC32C {
    /// What computes it: `vpclmulqdq`, `sse4.2`, `armv8` or `table`.
    package static var backend: String { unsafe String(cString: haul_crc32c_backend()) }

    /// Checksum of bytes, or of bytes behind what `checksum` already covers.
    ///
    /// - Parameters:
    ///   - bytes: what to add.
    ///   - checksum: what is covered so far; 0 is nothing.
    /// - Returns: the checksum of both.
    package static func checksum(_ bytes: RawSpan, continuing checksum: UInt32 = 0) -> UInt32 {
        unsafe bytes.withUnsafeBytes { buffer in unsafe self.checksum(buffer, continuing: checksum) }
    }

    static func checksum(_ bytes: UnsafeRawBufferPointer, continuing checksum: UInt32 = 0) -> UInt32 {
        unsafe haul_crc32c(checksum, bytes.baseAddress, bytes.count)
    }

    /// The same by the instruction that older processors have too, for comparison.
    static func checksumByInstruction(_ bytes: RawSpan, continuing checksum: UInt32) -> UInt32 {
        unsafe bytes.withUnsafeBytes { buffer in
            unsafe haul_crc32c_by_instruction(checksum, buffer.baseAddress, buffer.count)
        }
    }

    /// Checksum of two runs, one behind the other, without their bytes.
    ///
    /// - Parameters:
    ///   - first: checksum of the first run.
    ///   - second: checksum of the second run.
    ///   - length: length of the second run in bytes; not negative.
    /// - Returns: the checksum of the whole.
    package static func combine(_ first: UInt32, _ second: UInt32, length: Int64) -> UInt32 {
        haul_crc32c_combine(first, second, UInt64(bitPattern: length))
    }
}
