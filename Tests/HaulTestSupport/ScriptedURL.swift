package import HaulCore

/// A small parser of http and https addresses, for the transport that has no libcurl.
package enum ScriptedURL {
    /// Takes an address apart.
    ///
    /// - Parameters:
    ///   - text: an absolute address, or a reference if `base` is given.
    ///   - base: the address of the response that held the reference.
    /// - Returns: the address.
    /// - Throws: when it is not http or https, or malformed.
    package static func parse(_ text: String, relativeTo base: ResourceURL?) throws(InvalidURL) -> ResourceURL {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw InvalidURL(reason: "it holds a space or a control character")
        }
        let text = String(text.prefix { $0 != "#" })
        if let scheme = scheme(of: text) {
            guard scheme == "http" || scheme == "https" else {
                throw InvalidURL(reason: "\(scheme) is neither http nor https")
            }
            let rest = text.dropFirst(scheme.count + 1)
            guard rest.hasPrefix("//") else { throw InvalidURL(reason: "it has no host") }
            return try absolute(scheme, rest.dropFirst(2))
        }
        guard let base else { throw InvalidURL(reason: "it has no scheme") }
        if text.hasPrefix("//") { return try absolute(base.scheme, text.dropFirst(2)) }
        let root = base.text.prefix(base.scheme.count + 3) + authority(of: base)
        let target: String
        if text.hasPrefix("/") {
            target = text
        } else if text.isEmpty || text.hasPrefix("?") {
            target = base.path + (text.isEmpty ? base.query.map { "?" + $0 } ?? "" : text)
        } else {
            target = base.path[...(base.path.lastIndex(of: "/") ?? base.path.startIndex)] + text
        }
        return try absolute(base.scheme, (root + target).dropFirst(base.scheme.count + 3))
    }

    private static func scheme(of text: String) -> String? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let scheme = text[..<colon].lowercased()
        guard let first = scheme.utf8.first, (0x61...0x7A).contains(first),
            scheme.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2B })
        else { return nil }
        return scheme
    }

    private static func authority(of url: ResourceURL) -> Substring {
        url.text.dropFirst(url.scheme.count + 3).prefix { $0 != "/" && $0 != "?" }
    }

    private static func absolute(_ scheme: String, _ rest: some StringProtocol) throws(InvalidURL) -> ResourceURL {
        var authority = String(rest.prefix { $0 != "/" && $0 != "?" })
        let target = rest.dropFirst(authority.count)
        var userInfo: BasicCredentials?
        if let at = authority.lastIndex(of: "@") {
            let parts = authority[..<at].split(separator: ":", maxSplits: 1)
            userInfo = BasicCredentials(
                name: parts.first.map { String($0) } ?? "", password: parts.count > 1 ? String(parts[1]) : "")
            authority = String(authority[authority.index(after: at)...])
        }
        let afterBracket = authority.lastIndex(of: "]") ?? authority.startIndex
        let colon = authority[afterBracket...].lastIndex(of: ":")
        let host = String(authority[..<(colon ?? authority.endIndex)]).lowercased()
        let portText = colon.map { authority[authority.index(after: $0)...] } ?? ""
        let port = portText.isEmpty ? (scheme == "https" ? 443 : 80) : Int(portText)
        guard !host.isEmpty, let port, (1...65_535).contains(port), !host.contains("%"),
            host.hasPrefix("[") == host.hasSuffix("]"), host.hasPrefix("[") || !host.contains(":")
        else { throw InvalidURL(reason: "its host or port is malformed") }
        let path = withoutDots(String(target.prefix { $0 != "?" }))
        let query = target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
        let shown = portText.isEmpty ? host : "\(host):\(port)"
        return ResourceURL(
            scheme: scheme, host: host, port: port, path: path, query: query, userInfo: userInfo,
            text: "\(scheme)://\(shown)\(path)\(query.map { "?" + $0 } ?? "")")
    }

    /// The path with `.` and `..` resolved (RFC 3986 §5.2.4).
    private static func withoutDots(_ path: String) -> String {
        var parts: [Substring] = []
        let given = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, part) in given.enumerated() {
            let isLast = index == given.count - 1
            switch part {
            case ".": if isLast { parts.append("") }
            case "..":
                _ = parts.popLast()
                if isLast { parts.append("") }
            default: parts.append(part)
            }
        }
        return "/" + parts.joined(separator: "/")
    }
}
