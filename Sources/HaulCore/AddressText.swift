/// What is wrong with an address before any parser sees it: the same for every transport.
package enum AddressText {
    /// Longest address, in bytes.
    package static let lengthLimit = 64 * 1024

    /// Checks an address as people write it, or a reference as servers send it.
    ///
    /// - Parameters:
    ///   - text: the address.
    ///   - isReference: whether it may be relative (RFC 3986 §4.2), and hold spaces.
    /// - Throws: `InvalidURL` with the reason in words.
    package static func check(_ text: String, isReference: Bool) throws(InvalidURL) {
        guard text.utf8.count <= lengthLimit else { throw InvalidURL(reason: "longer than \(lengthLimit) bytes") }
        var hasBackslash = false
        var hasSpace = false
        for byte in text.utf8 {
            guard byte >= 0x20, byte != 0x7F else { throw InvalidURL(reason: "a control character in the address") }
            hasBackslash = hasBackslash || byte == UInt8(ascii: "\\")
            hasSpace = hasSpace || byte == UInt8(ascii: " ")
        }
        if hasBackslash { try checkAuthority(text) }
        if !isReference { try checkAbsolute(text, hasSpace: hasSpace) }
    }

    /// An address that no parser takes, as far as it can be shown: without what may be a password, or a token in a query.
    ///
    /// It may be cut too much, never too little: everything up to the last `@` goes.
    package static func shown(_ text: String) -> String {
        let address = text.prefix { $0 != "?" && $0 != "#" }
        let end = address.endIndex < text.endIndex ? "?…" : ""
        guard let at = address.lastIndex(of: "@") else { return address + end }
        let start = address.firstIndex(of: "/").flatMap { slash in
            address[..<slash].hasSuffix(":") && slash < at ? address[slash...].firstIndex { $0 != "/" } : nil
        }
        return address[..<(start ?? address.startIndex)] + address[address.index(after: at)...] + end
    }

    /// Refuses a backslash in front of the path: to browsers it is a slash and ends the host, to parsers it is not.
    private static func checkAuthority(_ text: String) throws(InvalidURL) {
        guard let start = text.firstRange(of: "//")?.upperBound else { return }
        guard !text[start...].utf8.prefix(while: { !endsHost($0) }).contains(UInt8(ascii: "\\")) else {
            throw InvalidURL(reason: "a backslash in the host")
        }
    }

    private static func checkAbsolute(_ text: String, hasSpace: Bool) throws(InvalidURL) {
        guard !text.isEmpty else { throw InvalidURL(reason: "the address is empty") }
        guard !hasSpace else { throw InvalidURL(reason: "a space in the address: write %20") }
        guard let scheme = ["http://", "https://"].first(where: { begins(text, with: $0) }) else {
            guard text.firstRange(of: "://") == nil else { throw InvalidURL(reason: "not an http or https address") }
            throw InvalidURL(reason: "not an http or https address: write http:// or https:// in front")
        }
        guard let next = text.utf8.dropFirst(scheme.utf8.count).first, !endsHost(next) else {
            throw InvalidURL(reason: "no host in the address")
        }
    }

    private static func begins(_ text: String, with scheme: String) -> Bool {
        HTTPFields.equal(String(Substring(text.utf8.prefix(scheme.utf8.count))), scheme)
    }

    private static func endsHost(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
}
