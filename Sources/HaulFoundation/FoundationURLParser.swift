import Foundation
import HaulCore

/// Takes addresses apart with Foundation, whose `URL` also makes the request (RFC 3986).
enum FoundationURLParser {
    /// Takes an address apart; see `Transport.parse`.
    ///
    /// - Parameters:
    ///   - text: an absolute address, or a reference if `base` is given.
    ///   - base: what a reference refers to.
    /// - Returns: the parts.
    /// - Throws: `InvalidURL` with the reason in words.
    static func parse(_ text: String, relativeTo base: ResourceURL?) throws(InvalidURL) -> ResourceURL {
        try AddressText.check(text, isReference: base != nil)
        if let base, text.isEmpty || text.hasPrefix("#") { return base }
        let baseURL = base.flatMap { URL(string: $0.text) }
        guard let url = URL(string: text, relativeTo: baseURL)?.absoluteURL.standardized,
            let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { throw InvalidURL(reason: "malformed address") }
        return try resource(parts)
    }

    private static func resource(_ given: URLComponents) throws(InvalidURL) -> ResourceURL {
        var parts = given
        guard let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw InvalidURL(reason: "not an http or https address")
        }
        guard let host = parts.encodedHost?.lowercased(), !host.isEmpty else {
            throw InvalidURL(reason: "no host in the address")
        }
        let standard = scheme == "https" ? 443 : 80
        let port = parts.port ?? standard
        guard (1...65535).contains(port) else { throw InvalidURL(reason: "the port is not between 1 and 65535") }
        let userInfo = try userInfo(of: parts)
        parts.user = nil
        parts.password = nil
        parts.fragment = nil
        parts.scheme = scheme
        parts.encodedHost = host
        parts.port = port == standard ? nil : port
        if parts.percentEncodedPath.isEmpty { parts.percentEncodedPath = "/" }
        guard let text = parts.url?.absoluteString else { throw InvalidURL(reason: "malformed address") }
        return ResourceURL(
            scheme: scheme, host: host, port: port, path: parts.percentEncodedPath, query: parts.percentEncodedQuery,
            userInfo: userInfo, text: text)
    }

    private static func userInfo(of parts: URLComponents) throws(InvalidURL) -> BasicCredentials? {
        let (name, password) = (parts.user ?? "", parts.password ?? "")
        guard !(name + password).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw InvalidURL(reason: "a control character in name or password")
        }
        return name.isEmpty && password.isEmpty ? nil : BasicCredentials(name: name, password: password)
    }
}
