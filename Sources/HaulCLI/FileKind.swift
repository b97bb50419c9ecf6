/// What a file that an option names has to hold.
///
/// Libraries find out with the first connection, or pass over it in silence; here it costs one look.
enum FileKind: Sendable {
    /// Certificates in PEM (RFC 7468 §5).
    case certificates
    /// A private key in PEM (RFC 7468 §10, §11).
    case key
    /// Cookies in Netscape's format, or `Set-Cookie` lines.
    case cookies

    /// Most bytes that are looked at.
    static let limit = 4 << 20

    /// Whether text may be such a file's beginning.
    ///
    /// - Parameter bytes: the first `limit` bytes of the file, or all.
    /// - Returns: whether it holds at least one of what it has to; a cookie file may be empty.
    func fits(_ bytes: [UInt8]) -> Bool {
        let lines = bytes.split { $0 == 0x0A || $0 == 0x0D }
        switch self {
        case .certificates: return lines.contains { Self.isLabel($0, endingIn: "CERTIFICATE-----") }
        case .key: return lines.contains { Self.isLabel($0, endingIn: "PRIVATE KEY-----") }
        case .cookies:
            let entries = lines.filter { !Self.isComment($0) }
            return entries.isEmpty || entries.contains(where: Self.isCookie)
        }
    }

    /// What the file holds if it is right, and what to do if it does not.
    var words: (content: String, advice: String) {
        switch self {
        case .certificates: ("certificate in PEM (-----BEGIN CERTIFICATE-----)", "check the file")
        case .key: ("private key in PEM (-----BEGIN PRIVATE KEY-----)", "check the file")
        case .cookies: ("cookie in Netscape's format", "check the file, or write name=value")
        }
    }

    private static func isLabel(_ line: ArraySlice<UInt8>, endingIn end: String) -> Bool {
        line.starts(with: "-----BEGIN ".utf8) && line.suffix(end.utf8.count).elementsEqual(end.utf8)
    }

    private static func isComment(_ line: ArraySlice<UInt8>) -> Bool {
        line.allSatisfy { $0 == 0x20 || $0 == 0x09 }
            || line.first == UInt8(ascii: "#") && !line.starts(with: "#HttpOnly_".utf8)
    }

    /// Host, whether its subdomains count, path, whether it is for TLS only, end, name, and a value that may be empty.
    private static func isCookie(_ line: ArraySlice<UInt8>) -> Bool {
        if line.prefix(11).elementsEqual("set-cookie:".utf8, by: { $0 | 0x20 == $1 | 0x20 }) { return true }
        let fields = line.split(separator: 0x09, omittingEmptySubsequences: false)
        guard fields.count == 6 || fields.count == 7 else { return false }
        return fields[1].elementsEqual("TRUE".utf8) || fields[1].elementsEqual("FALSE".utf8)
    }
}
