/// A half-open range of byte offsets, `lowerBound ..< upperBound`.
///
/// Offsets are 64-bit on every platform. Inclusive ends exist only where the `Range` field is printed or
/// `Content-Range` is read (RFC 9110 §14).
package struct ByteRange: Hashable, Sendable {
    /// First offset in the range.
    package let lowerBound: Int64
    /// First offset after the range; equal to `lowerBound` when the range is empty.
    package let upperBound: Int64

    /// Makes `lowerBound ..< upperBound`; an inverted pair becomes the empty range at `lowerBound`.
    package init(_ lowerBound: Int64, _ upperBound: Int64) {
        self.lowerBound = lowerBound
        self.upperBound = max(lowerBound, upperBound)
    }

    /// Number of bytes in the range.
    package var length: Int64 { upperBound - lowerBound }

    /// Whether the range holds no byte.
    package var isEmpty: Bool { upperBound == lowerBound }

    /// Whether `offset` lies in the range.
    package func contains(_ offset: Int64) -> Bool { lowerBound <= offset && offset < upperBound }

    /// Whether every byte of `other` lies in the range; the empty range lies in every range.
    package func contains(_ other: ByteRange) -> Bool {
        other.isEmpty || (lowerBound <= other.lowerBound && other.upperBound <= upperBound)
    }

    /// Whether the two ranges share at least one byte.
    package func overlaps(_ other: ByteRange) -> Bool {
        max(lowerBound, other.lowerBound) < min(upperBound, other.upperBound)
    }

    /// The bytes that both ranges hold; empty when there are none.
    package func clamped(to other: ByteRange) -> ByteRange {
        ByteRange(max(lowerBound, other.lowerBound), min(upperBound, other.upperBound))
    }

    /// The two parts before and from `offset`, either of which may be empty.
    package func split(at offset: Int64) -> (before: ByteRange, after: ByteRange) {
        let cut = min(max(offset, lowerBound), upperBound)
        return (ByteRange(lowerBound, cut), ByteRange(cut, upperBound))
    }
}

extension ByteRange: CustomStringConvertible {
    package var description: String { "\(lowerBound)..<\(upperBound)" }
}
