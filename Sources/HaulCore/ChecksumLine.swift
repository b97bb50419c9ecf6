/// One line of a list of checksums.
struct ChecksumLine: Hashable, Sendable {
    /// The digest.
    let digest: ContentDigest
    /// The file that it is of; nil if the line holds nothing but digits.
    let name: String?

    /// Reads `HEX  NAME`, `HEX *NAME`, `ALGO (NAME) = HEX` or `HEX`; nil if a line is none of these.
    ///
    /// - Parameters:
    ///   - text: a line without white space around it.
    ///   - longest: what 128 digits without an algorithm's name are.
    init?(_ text: String, longest: ContentDigest.Algorithm) {
        if let entry = Self.tagged(text) ?? Self.plain(text, longest) {
            self = entry
        } else {
            return nil
        }
    }

    private init(digest: ContentDigest, name: String?) {
        self.digest = digest
        self.name = name
    }

    /// BSD's style, which OpenSSL writes without the spaces, and GNU with `--tag`.
    private static func tagged(_ text: String) -> ChecksumLine? {
        guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"), open < close,
            let algorithm = algorithm(FieldText.trimmed(text[..<open]))
        else { return nil }
        let rest = FieldText.trimmed(text[text.index(after: close)...])
        guard rest.hasPrefix("="), let bytes = FieldText.bytes(hex: FieldText.trimmed(rest.dropFirst())),
            let digest = ContentDigest(algorithm, bytes: bytes)
        else { return nil }
        let isEscaped = text.hasPrefix("\\")
        let name = String(text[text.index(after: open)..<close])
        return ChecksumLine(digest: digest, name: isEscaped ? unescaped(name) : name)
    }

    private static func plain(_ text: String, _ longest: ContentDigest.Algorithm) -> ChecksumLine? {
        let isEscaped = text.hasPrefix("\\")
        let line = isEscaped ? text.dropFirst() : text[...]
        let digits = line.prefix { $0 != " " && $0 != "\t" }
        guard let bytes = FieldText.bytes(hex: digits), let algorithm = algorithm(length: bytes.count, longest),
            let digest = ContentDigest(algorithm, bytes: bytes)
        else { return nil }
        var name = FieldText.trimmed(line[digits.endIndex...])
        if name.hasPrefix("*") { name.removeFirst() }
        if name.isEmpty { return ChecksumLine(digest: digest, name: nil) }
        return ChecksumLine(digest: digest, name: isEscaped ? unescaped(name) : name)
    }

    private static func algorithm(_ name: String) -> ContentDigest.Algorithm? {
        var plain = name.lowercased().filter { $0 != "-" && $0 != "\\" }
        // OpenSSL 3 says SHA2-256.
        if plain.hasPrefix("sha2"), plain.count == 7 { plain.remove(at: plain.index(plain.startIndex, offsetBy: 3)) }
        if plain == "blake2b512" { return .blake2b }
        return ContentDigest.Algorithm.allCases.first { $0.rawValue.filter { $0 != "-" } == plain }
    }

    private static func algorithm(length: Int, _ longest: ContentDigest.Algorithm) -> ContentDigest.Algorithm? {
        switch length {
        case 16: .md5
        case 20: .sha1
        case 32: .sha256
        case 48: .sha384
        case 64: longest
        default: nil
        }
    }

    /// A name in which GNU has written backslashes, line feeds and carriage returns as escapes.
    private static func unescaped(_ text: String) -> String {
        var result = ""
        var isEscape = false
        for character in text {
            if isEscape {
                result.append(character == "n" ? "\n" : character == "r" ? "\r" : character)
                isEscape = false
            } else if character == "\\" {
                isEscape = true
            } else {
                result.append(character)
            }
        }
        return result
    }
}
