import HaulCore

extension DownloadRequest {
    /// Headers, cookies, name and password, and the origin that may see them.
    ///
    /// - Parameters:
    ///   - options: whether redirects are trusted.
    ///   - url: the address that they are given for.
    /// - Returns: what goes where.
    /// - Throws: `DownloadError` with code `invalidRequest` that names the line which can't be sent.
    func scope(_ options: DownloadOptions, for url: ResourceURL) throws(DownloadError) -> CredentialScope {
        let lines = [referer.map { "Referer: " + $0 }, cookies.map { "Cookie: " + $0 }].compactMap(\.self)
        let given = credentials.map { BasicCredentials(name: $0.name, password: $0.password) }
        do throws(InvalidHeaderLine) {
            return try CredentialScope(
                headerLines: headers + lines, credentials: given ?? url.userInfo, origin: url.origin,
                sendsEverywhere: options.trustsRedirects)
        } catch {
            throw DownloadError(.invalidRequest, error.reason)
        }
    }
}
