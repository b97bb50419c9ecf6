/// The file name in a `Content-Disposition` field (RFC 6266), as far as real servers keep to the grammar.
package enum ContentDisposition {
    /// The name that the server proposes, as it stands there: anything, so it is for `SuggestedName` to make harmless.
    ///
    /// `filename*` comes first (RFC 6266 §4.3); if it cannot be decoded it does not count. A plain `filename` that is
    /// percent-encoded all through is decoded, as browsers do. Of two parameters with one name the first counts. The
    /// type may be missing, and so may the semicolon after it and the last quote.
    package static func fileName(_ text: String) -> String? {
        let parameters = parameters(text)
        func first(_ name: String) -> String? { parameters.first { HTTPFields.equal($0.name, name) }?.value }
        if let name = first("filename*").flatMap(extended), !name.isEmpty { return name }
        guard let plain = first("filename"), !plain.isEmpty else { return nil }
        return percentDecoded(plain).flatMap { String(validating: $0, as: UTF8.self) } ?? plain
    }

    /// The bytes that `text` stands for when `%XX` is decoded (RFC 3986 §2.1).
    ///
    /// - Returns: nil if a `%` is not followed by two hexadecimal digits.
    package static func percentDecoded(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(FieldText.nibble),
                let low = rest.popFirst().flatMap(FieldText.nibble)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// `bytes` as UTF-8 if they are that, else as Latin-1, in which every byte is a character.
    package static func text(_ bytes: [UInt8]) -> String { String(validating: bytes, as: UTF8.self) ?? latin1(bytes) }

    /// Decodes `charset'language'percent-encoded` (RFC 8187 §3.2), in quotes or not.
    private static func extended(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = percentDecoded(parts[2]) else { return nil }
        switch parts[0].lowercased() {
        case "utf-8", "utf8": return String(validating: bytes, as: UTF8.self)
        case "iso-8859-1", "us-ascii": return latin1(bytes)
        default: return nil
        }
    }

    private static func latin1(_ bytes: [UInt8]) -> String {
        String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Parameters in order; scalars, not characters, since a mark that combines with `;` or `"` must not hide it.
    private static func parameters(_ text: String) -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        var rest = text.unicodeScalars[...]
        while !rest.isEmpty {
            let head = take(&rest) { $0 != "=" && $0 != ";" }
            guard rest.popFirst() == "=" else { continue }
            // The last word: `attachment filename=x` lacks its semicolon.
            let name = head.split(separator: " ").last.map { FieldText.trimmed($0) } ?? ""
            _ = take(&rest) { $0 == " " || $0 == "\t" }
            if rest.first == "\"" {
                rest.removeFirst()
                parameters.append((name, FieldText.quoted(&rest)))
                _ = take(&rest) { $0 != ";" }
            } else {
                parameters.append((name, FieldText.trimmed(take(&rest) { $0 != ";" })))
            }
        }
        return parameters
    }

    private static func take(
        _ rest: inout Substring.UnicodeScalarView, while predicate: (Unicode.Scalar) -> Bool
    ) -> String {
        let taken = rest.prefix(while: predicate)
        rest = rest[taken.endIndex...]
        return String(taken)
    }
}
