import HaulCore
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
            throw DownloadError(
                .invalidRequest, "a key (--key) without a certificate: give the certificate with --cert")
        }
        if let userAgent, !HeaderLine.isValue(userAgent.utf8) {
            throw DownloadError(.invalidRequest, "the user agent has a line break or control character in it")
        }
        if let proxy { try Self.validate(proxy: proxy) }
        for entry in resolve { try Self.validate(resolve: entry) }
    }

    /// Makes sure that the options can be carried out by a network.
    func check(over choice: NetworkChoice) throws(DownloadError) {
        try validate()
        if let objection = choice.objection?(ConnectionOptions(self)) {
            throw DownloadError(.invalidRequest, objection)
        }
    }

    /// Looks at the netrc file, if one is used.
    ///
    /// - Returns: nil if none is used, and if there is none at home. The one at home may have a `problem`.
    /// - Throws: why the file that was named can't be used, and why the one at home can't be read.
    func netrcFile() throws(DownloadError) -> NetrcFile? {
        let path: String?
        switch netrc {
        case .never: return nil
        case .home: path = nil
        case .file(let file): path = file
        }
        let file: NetrcFile?
        do throws(SystemError) {
            file = try NetrcFile.read(path)
        } catch {
            throw DownloadError(.invalidRequest, "the netrc file can't be read: \(error.message)", cause: error.cause)
        }
        if path != nil, let problem = file?.problem { throw DownloadError(.invalidRequest, problem) }
        return file
    }

    /// What is wrong with the netrc file at home, if it is used, in one line: what libcurl can read of it is used.
    package var netrcWarning: String? {
        guard case .home = netrc, let file = try? netrcFile() else { return nil }
        return file.problem
    }

    /// Makes sure that the netrc file, if one is used, can be used.
    ///
    /// - Throws: `invalidRequest`, with file and line where there is one.
    package func checkNetrc() throws(DownloadError) { _ = try netrcFile() }

    /// Messages never show the proxy, which may hold a password.
    private static func validate(proxy: String) throws(DownloadError) {
        guard !proxy.isEmpty else { return }
        guard proxy.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw DownloadError(
                .invalidRequest, "the proxy (--proxy) has a space or control character in it: write %20")
        }
        var rest = proxy[...]
        if let mark = proxy.firstRange(of: "://") {
            let scheme = proxy[..<mark.lowerBound].lowercased()
            guard ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].contains(scheme) else {
                throw DownloadError(
                    .invalidRequest,
                    "the proxy (--proxy) is not http://, https://, socks4://, socks4a://, socks5:// or socks5h://")
            }
            rest = proxy[mark.upperBound...]
        }
        let authority = rest.prefix { $0 != "/" }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
        guard !name.isEmpty, name.count <= host.count, !host.hasPrefix("[") || isAddress(name) else {
            throw DownloadError(.invalidRequest, "the proxy (--proxy) has no host: write http://HOST:PORT")
        }
        let ending = host.dropFirst(name.count)
        guard !ending.isEmpty else { return }
        guard ending.hasPrefix(":"), let port = Int(ending.dropFirst()), (1...65535).contains(port) else {
            throw DownloadError(
                .invalidRequest, "the port of the proxy (--proxy) is not between 1 and 65535: write http://HOST:PORT")
        }
    }

    private static func validate(resolve entry: String) throws(DownloadError) {
        let problem = DownloadError(
            .invalidRequest, "'\(entry)' (--resolve) is not HOST:PORT:ADDRESS, such as example.com:443:192.0.2.1")
        let host = entry.hasPrefix("[") ? entry.prefix { $0 != "]" } + "]" : entry.prefix { $0 != ":" }
        let rest = entry.dropFirst(host.count)
        guard !host.isEmpty, rest.hasPrefix(":"), !entry.utf8.contains(where: { $0 <= 0x20 }) else { throw problem }
        let port = rest.dropFirst().prefix { $0 != ":" }
        let addresses = rest.dropFirst(port.count + 2)
        guard let number = Int(port), (1...65535).contains(number), !addresses.isEmpty else { throw problem }
        for address in addresses.split(separator: ",", omittingEmptySubsequences: false) {
            // libcurl takes no zone here.
            guard isAddress(address), !address.contains("%") else { throw problem }
        }
    }

    /// Whether a text is an IPv4 or IPv6 address, the latter also in brackets and with a zone (RFC 4291 §2.2).
    private static func isAddress(_ text: some StringProtocol) -> Bool {
        let text = Substring(text)
        let plain = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text
        guard plain.contains(":") else { return isIPv4(plain) }
        let number = plain.prefix { $0 != "%" }
        guard let gap = number.firstRange(of: "::") else { return groups(number) == 8 }
        let (front, back) = (number[..<gap.lowerBound], number[gap.upperBound...])
        guard let before = front.isEmpty ? 0 : groups(front), let after = back.isEmpty ? 0 : groups(back) else {
            return false
        }
        return !front.contains(".") && before + after < 8
    }

    /// Groups of 16 bits in a part of an IPv6 address without `::`; nil if it is none.
    private static func groups(_ text: Substring) -> Int? {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var count = 0
        if let last = parts.last, isIPv4(last) {
            parts.removeLast()
            count = 2
        }
        guard parts.allSatisfy({ (1...4).contains($0.count) && $0.allSatisfy(\.isHexDigit) }) else { return nil }
        return count + parts.count
    }

    private static func isIPv4(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Checks a number of connections.
    static func validate(connections: Int) throws(DownloadError) {
        guard (1...256).contains(connections) else {
            throw DownloadError(.invalidRequest, "\(connections) connections: use 1 to 256")
        }
    }
}
