/// Bytes that were received and written: the unit of journal and check.
package struct FinishedRange: Hashable, Sendable {
    /// Where they lie in the file.
    package let range: ByteRange
    /// CRC-32C of the bytes as they came off the wire (RFC 3720 §12.1).
    package let checksum: UInt32

    /// Makes a finished range.
    package init(_ range: ByteRange, checksum: UInt32) {
        self.range = range
        self.checksum = checksum
    }
}
