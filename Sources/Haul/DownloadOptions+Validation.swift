import HaulSystem

extension DownloadOptions {
    /// Makes sure that the options can be carried out, as far as that can be told without network and disk.
    func validate() throws(DownloadError) {
        if let connections { try Self.validate(connections: connections) }
        guard minimumSplitSize > 0, retries >= 0, maximumRedirects >= 0 else {
            throw DownloadError(.invalidRequest, "split size must be positive, retries and redirects not negative")
        }
        guard connectTimeout > .zero, stallTimeout > .zero, maximumTime.map({ $0 > .zero }) ?? true else {
            throw DownloadError(.invalidRequest, "time-outs must be longer than nothing")
        }
        guard streamWindow >= 1 << 20 else {
            throw DownloadError(.invalidRequest, "a window of \(streamWindow) bytes: use 1 MiB or more")
        }
        if clientKeyFile != nil, clientCertificateFile == nil {
            throw DownloadError(.invalidRequest, "a key without a certificate: give the certificate with --cert")
        }
        if let proxy { try Self.validate(proxy: proxy) }
        for entry in resolve { try Self.validate(resolve: entry) }
    }

    /// Whether the netrc file, if one is used, has an entry for every host.
    func netrcHasDefault() throws(DownloadError) -> Bool {
        let path: String?
        switch netrc {
        case .never: return false
        case .home: path = nil
        case .file(let file): path = file
        }
        do throws(SystemError) {
            return try NetrcFile.hasDefault(path)
        } catch {
            throw DownloadError(.invalidRequest, "the netrc file can't be read: \(error.message)", cause: error.cause)
        }
    }

    /// Messages never show the proxy, which may hold a password.
    private static func validate(proxy: String) throws(DownloadError) {
        guard !proxy.isEmpty else { return }
        guard proxy.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw DownloadError(.invalidRequest, "the proxy has a space or control character in it: write %20")
        }
        var rest = proxy[...]
        if let mark = proxy.firstRange(of: "://") {
            let scheme = proxy[..<mark.lowerBound].lowercased()
            guard ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].contains(scheme) else {
                throw DownloadError(
                    .invalidRequest,
                    "the proxy is not http://, https://, socks4://, socks4a://, socks5:// or socks5h://")
            }
            rest = proxy[mark.upperBound...]
        }
        let authority = rest.prefix { $0 != "/" }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        guard let first = host.first, first != ":" else {
            throw DownloadError(.invalidRequest, "the proxy has no host: write http://HOST:PORT")
        }
        guard !host.hasPrefix("["), let colon = host.lastIndex(of: ":") else { return }
        guard let port = Int(host[host.index(after: colon)...]), (1...65535).contains(port) else {
            throw DownloadError(.invalidRequest, "the proxy's port is not between 1 and 65535: write http://HOST:PORT")
        }
    }

    private static func validate(resolve entry: String) throws(DownloadError) {
        let problem = DownloadError(
            .invalidRequest, "'\(entry)' is not HOST:PORT:ADDRESS, such as example.com:443:192.0.2.1")
        let host = entry.hasPrefix("[") ? entry.prefix { $0 != "]" } + "]" : entry.prefix { $0 != ":" }
        let rest = entry.dropFirst(host.count)
        guard !host.isEmpty, rest.hasPrefix(":"), !entry.utf8.contains(where: { $0 <= 0x20 }) else { throw problem }
        let port = rest.dropFirst().prefix { $0 != ":" }
        let addresses = rest.dropFirst(port.count + 2)
        guard let number = Int(port), (1...65535).contains(number), !addresses.isEmpty else { throw problem }
        for address in addresses.split(separator: ",", omittingEmptySubsequences: false) {
            guard isAddress(address) else { throw problem }
        }
    }

    /// Whether a text looks like an IPv4 or IPv6 address; the transport's own look comes later.
    private static func isAddress(_ text: Substring) -> Bool {
        let plain = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text
        if plain.contains(":") {
            return plain.prefix { $0 != "%" }.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        let parts = plain.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Checks a number of connections.
    static func validate(connections: Int) throws(DownloadError) {
        guard (1...256).contains(connections) else {
            throw DownloadError(.invalidRequest, "\(connections) connections: use 1 to 256")
        }
    }
}
