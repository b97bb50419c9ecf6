/// A header line as users of curl write it.
///
/// `Name: value` sets a field, `Name;` sets it empty, and `Name:` keeps haul from sending it.
package enum HeaderLine: Hashable, Sendable {
    /// Send this field.
    case set(HTTPField)
    /// Do not send the field of this name, which haul would send by itself.
    case removed(name: String)

    /// Reads a line.
    ///
    /// - Throws: for a name that is no token (RFC 9110 §5.6.2), for control characters, and for fields that haul needs
    ///   for itself. An empty value is no error.
    package init(_ line: String) throws(InvalidHeaderLine) {
        let mark = line.utf8.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }
        guard let mark else {
            throw InvalidHeaderLine(reason: "header line \(Self.shown(line)) has no colon: write 'Name: value'")
        }
        let name = String(line[..<mark])
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else {
            throw InvalidHeaderLine(reason: "header name \(Self.shown(name)) is not valid: write 'Name: value'")
        }
        let rest = line[line.utf8.index(after: mark)...]
        // Anything that could end the line would let a value smuggle in further fields.
        guard Self.isValue(rest.utf8) else {
            throw InvalidHeaderLine(reason: "the value of header '\(name)' has a line break or control character in it")
        }
        let value = FieldText.trimmed(rest)
        if let refusal = Self.refusal(name, value) { throw InvalidHeaderLine(reason: refusal) }
        if line.utf8[mark] == UInt8(ascii: ";") {
            guard value.isEmpty else {
                throw InvalidHeaderLine(
                    reason: "header line '\(name);' goes on after the semicolon: write '\(name): value'")
            }
            self = .set(HTTPField(name, ""))
        } else {
            self = value.isEmpty ? .removed(name: name) : .set(HTTPField(name, value))
        }
    }

    /// Whether bytes may stand in a field's value: no control characters but tabs (RFC 9110 §5.5).
    package static func isValue(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == UInt8(ascii: "\t") }
    }

    /// Whether a field says nothing about who asks, and may therefore go to any host.
    package static func isHarmless(_ name: String) -> Bool {
        let lower = name.lowercased()
        return lower == "accept" || lower.hasPrefix("accept-") || lower == "user-agent" || lower == "referer"
    }

    /// Why the user may not set `name`, nil if they may.
    private static func refusal(_ name: String, _ value: String) -> String? {
        switch name.lowercased() {
        case "range":
            "header 'Range' is haul's own: use --range to fetch a part"
        case "if-range":
            "header 'If-Range' is haul's own: it keeps versions from being mixed"
        case "accept-encoding" where !HTTPFields.equal(value, "identity"):
            "header 'Accept-Encoding' is haul's own: ranges of compressed answers do not fit together"
        case "host":
            "header 'Host' follows the address: use --resolve to reach another machine under a name"
        case "if-match", "if-none-match", "if-modified-since", "if-unmodified-since":
            "header '\(name)' is not possible: haul's requests have conditions of their own"
        case "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "expect",
            "content-length", "http2-settings":
            "header '\(name)' is not possible: it belongs to the connection, which haul keeps itself"
        case "proxy-authorization":
            "header 'Proxy-Authorization' would reach the server: put name and password into --proxy"
        default:
            nil
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// The first word of `text`, without what a terminal would obey.
    private static func shown(_ text: String) -> String {
        let word = text.unicodeScalars.prefix { $0 != " " }.prefix(40).map {
            $0.value < 0x20 || $0.value == 0x7F ? "?" : $0
        }
        return "'" + String(String.UnicodeScalarView(word)) + "'"
    }
}
