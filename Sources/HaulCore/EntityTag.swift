/// An entity tag: an opaque name of one version of a resource (RFC 9110 §8.8.3).
package struct EntityTag: Hashable, Sendable {
    /// The tag as it came, quotes and `W/` included: what is sent back and journaled.
    package let text: String
    /// Whether it only promises equal meaning, not equal bytes.
    package let isWeak: Bool
    /// The tag without `W/` and quotes: what is compared.
    package let opaque: String
    /// Whether it stands in quotes, as it must; only such a tag can be told from a date in `If-Range`.
    package let isQuoted: Bool

    /// Reads an `ETag` value; a tag without its quotes is taken as it is.
    ///
    /// - Returns: nil for an empty tag, which some servers give to everything, and for control characters.
    package init?(_ text: String) {
        let raw = FieldText.trimmed(text)
        guard raw.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        // `w/` is against the grammar, and taking it for strong would be the dangerous mistake.
        let isWeak = raw.utf8.count >= 2 && HTTPFields.equal(String(Substring(raw.utf8.prefix(2))), "W/")
        let bare = isWeak ? FieldText.trimmed(Substring(raw.utf8.dropFirst(2))) : raw
        let quote = UInt8(ascii: "\"")
        let isQuoted = bare.utf8.count >= 2 && bare.utf8.first == quote && bare.utf8.last == quote
        let opaque = isQuoted ? String(Substring(bare.utf8.dropFirst().dropLast())) : bare
        guard !opaque.isEmpty else { return nil }
        self.text = raw
        self.isWeak = isWeak
        self.opaque = opaque
        self.isQuoted = isQuoted
    }

    /// Whether both are strong and the same: equal bytes (strong comparison, RFC 9110 §8.8.3.2).
    package func isSameStrong(as other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }
}

extension EntityTag: CustomStringConvertible {
    package var description: String { text }
}
