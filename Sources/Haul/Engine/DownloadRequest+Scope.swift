import HaulCore

extension DownloadRequest {
    /// Headers, cookies, name and password, and the origin that may see them.
    ///
    /// - Parameters:
    ///   - options: whether redirects are trusted.
    ///   - url: the address that they are given for.
    ///   - parse: takes an address apart as the network does.
    /// - Returns: what goes where.
    /// - Throws: `DownloadError` with code `invalidRequest` that names the line which can't be sent.
    func scope(
        _ options: DownloadOptions, for url: ResourceURL, parse: (String) throws(DownloadError) -> ResourceURL
    ) throws(DownloadError) -> CredentialScope {
        let lines = [referer.map { "Referer: " + $0 }, cookies.map { "Cookie: " + $0 }].compactMap(\.self)
        let given = credentials.map { BasicCredentials(name: $0.name, password: $0.password) }
        let owner = try secretsOrigin(for: url, parse: parse)
        do throws(InvalidHeaderLine) {
            return try CredentialScope(
                headerLines: headers + lines, credentials: given ?? (owner == url.origin ? url.userInfo : nil),
                origin: owner,
                sendsEverywhere: options.trustsRedirects)
        } catch {
            throw DownloadError(.invalidRequest, error.reason)
        }
    }

    /// Who may see the secrets; an origin that no server has if nobody is known.
    private func secretsOrigin(
        for url: ResourceURL, parse: (String) throws(DownloadError) -> ResourceURL
    ) throws(DownloadError) -> Origin {
        switch secretsOwner {
        case .url: return url.origin
        case .nobody: return Origin(scheme: "", host: "", port: 0)
        case .address(let text): return try parse(text).origin
        }
    }
}
