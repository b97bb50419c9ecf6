import CCurl
package import HaulCore
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Takes addresses apart with the parser that will also make the request.
///
/// C functions: `curl_url`, `curl_url_set`, `curl_url_get`.
@safe package struct CurlURLParser: ~Copyable {
    private let handle: OpaquePointer
    /// The address that was taken apart last, if it stays as it was written: who checks a request does so just before it
    /// is fetched.
    private static let last = Mutex<ResourceURL?>(nil)

    private init() throws(InvalidURL) {
        guard let handle = unsafe curl_url() else { throw InvalidURL(reason: "out of memory") }
        unsafe self.handle = unsafe handle
    }

    deinit { unsafe curl_url_cleanup(handle) }

    /// Takes an address apart; see `Transport.parse`.
    ///
    /// What people write must be free of spaces; in a reference from a server they are percent-encoded, as browsers do.
    /// Bytes outside ASCII are percent-encoded in both, and a host is put into its ASCII form (RFC 3490).
    ///
    /// - Parameters:
    ///   - text: an absolute address, or a reference if `base` is given.
    ///   - base: what a reference refers to.
    /// - Returns: the parts.
    /// - Throws: `InvalidURL` with the reason in words.
    package static func parse(_ text: String, relativeTo base: ResourceURL?) throws(InvalidURL) -> ResourceURL {
        if base == nil, let url = last.withLock({ known(text, by: &$0) }) { return url }
        try AddressText.check(text, isReference: base != nil)
        if let base, text.isEmpty || text.hasPrefix("#") { return base }
        let parser = try CurlURLParser()
        if let base { try parser.set(CURLUPART_URL, base.text) }
        try parser.set(CURLUPART_URL, text)
        let url = try parser.resource()
        if base == nil, url.text == text { last.withLock { $0 = url } }
        return url
    }

    /// An address that is told by the last one; nil if it has to be taken apart.
    private static func known(_ text: String, by last: inout ResourceURL?) -> ResourceURL? {
        guard let url = last else { return nil }
        // Equal characters may be other bytes, but not as many as in an address of ASCII.
        if url.text == text, url.text.utf8.count == text.utf8.count { return url }
        guard let sibling = url.sibling(text) else { return nil }
        last = sibling
        return sibling
    }

    private func resource() throws(InvalidURL) -> ResourceURL {
        let scheme = try part(CURLUPART_SCHEME).lowercased()
        guard scheme == "http" || scheme == "https" else { throw InvalidURL(reason: "not an http or https address") }
        let userInfo = try takeUserInfo()
        try set(CURLUPART_FRAGMENT, nil)
        let host = try part(CURLUPART_HOST, UInt32(CURLU_PUNYCODE))
        guard !host.isEmpty else { throw InvalidURL(reason: "no host in the address") }
        // A literal IPv6 address stays as it is: setting it would lose its zone.
        if !host.hasPrefix("[") { try set(CURLUPART_HOST, host.lowercased()) }
        guard let port = Int(try part(CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT))), (1...65535).contains(port) else {
            throw InvalidURL(reason: "the port is not between 1 and 65535")
        }
        // A question mark with nothing behind it is not part of what is requested; libcurl before 8.8 reports it.
        let query = try optionalPart(CURLUPART_QUERY).flatMap { $0.isEmpty ? nil : $0 }
        let text = try part(CURLUPART_URL, UInt32(CURLU_NO_DEFAULT_PORT))
        // The zone of an IPv6 address is the one part that libcurl takes and gives as it is.
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw InvalidURL(reason: "a character in the host that no host has")
        }
        return ResourceURL(
            scheme: scheme, host: host.lowercased(), port: port, path: try part(CURLUPART_PATH),
            query: query, userInfo: userInfo, text: text)
    }

    /// Reads name and password and takes them out of the address.
    private func takeUserInfo() throws(InvalidURL) -> BasicCredentials? {
        let name = try optionalPart(CURLUPART_USER, UInt32(CURLU_URLDECODE))
        let password = try optionalPart(CURLUPART_PASSWORD, UInt32(CURLU_URLDECODE))
        for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS] { try set(part, nil) }
        if (name ?? "").isEmpty, (password ?? "").isEmpty { return nil }
        return BasicCredentials(name: name ?? "", password: password ?? "")
    }

    private func set(_ part: CURLUPart, _ text: String?) throws(InvalidURL) {
        guard let text else { return try check(unsafe curl_url_set(handle, part, nil, 0)) }
        try check(unsafe curl_url_set(handle, part, text, part == CURLUPART_URL ? UInt32(CURLU_URLENCODE) : 0))
    }

    private func part(_ part: CURLUPart, _ flags: UInt32 = 0) throws(InvalidURL) -> String {
        var text: UnsafeMutablePointer<CChar>?
        try check(UnicodeLocale.during { unsafe curl_url_get(handle, part, &text, flags) })
        guard let text = unsafe text else { return "" }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }

    private func optionalPart(_ part: CURLUPart, _ flags: UInt32 = 0) throws(InvalidURL) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        let code = unsafe curl_url_get(handle, part, &text, flags)
        if [CURLUE_NO_QUERY, CURLUE_NO_USER, CURLUE_NO_PASSWORD].contains(code) { return nil }
        try check(code)
        guard let text = unsafe text else { return nil }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }

    private func check(_ code: CURLUcode) throws(InvalidURL) {
        switch code {
        case CURLUE_OK: return
        case CURLUE_UNSUPPORTED_SCHEME, CURLUE_BAD_SCHEME: throw InvalidURL(reason: "not an http or https address")
        case CURLUE_BAD_PORT_NUMBER: throw InvalidURL(reason: "the port is not between 1 and 65535")
        case CURLUE_NO_HOST: throw InvalidURL(reason: "no host in the address")
        case CURLUE_URLDECODE: throw InvalidURL(reason: "a control character in name or password")
        default:
            let words = unsafe curl_url_strerror(code).map { unsafe String(cString: $0) }
            throw InvalidURL(reason: words ?? "malformed address")
        }
    }
}
