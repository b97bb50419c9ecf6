import CCurl
import HaulCore

extension TransferRequest {
    /// Sets everything that the request asks for, and everything that no request may do.
    ///
    /// - Parameters:
    ///   - easy: a new handle.
    ///   - share: knows which cookie files have been read.
    ///   - pacedRate: the rate of all transfers together, nil for no limit.
    ///   - others: number of transfers that run beside it on its thread.
    /// - Returns: lists that must live as long as the transfer.
    /// - Throws: `.transportFailure` when libcurl refuses an option, or a field would break the message.
    func apply(
        to easy: borrowing EasyHandle, share: ShareHandle, pacedRate: Int64?, others: Int
    ) throws(TransportError) -> RequestLists {
        guard let fieldList = StringList(try fieldLines()), let addressList = StringList(connection.resolve) else {
            throw .transportFailure(detail: "out of memory")
        }
        try easy.set(CURLOPT_URL, url.text)
        try easy.set(CURLOPT_HTTPHEADER, fieldList)
        try easy.set(CURLOPT_FRESH_CONNECT, needsFreshConnection)
        // The last one brought nothing: a server that serves one connection at a time may wait on an idle one of ours.
        if needsFreshConnection { try easy.set(CURLOPT_MAXAGE_CONN, 1) }
        try applyRules(to: easy)
        try easy.set(CURLOPT_BUFFERSIZE, bufferSize(pacedRate: pacedRate, others: others))
        try connection.applyRoute(to: easy, addresses: addressList)
        try connection.applyTrust(to: easy)
        try applyIdentity(to: easy, share: share)
        return RequestLists(fields: fieldList, addresses: addressList)
    }

    /// What holds for every request.
    private func applyRules(to easy: borrowing EasyHandle) throws(TransportError) {
        try easy.set(CURLOPT_NOSIGNAL, true)
        try easy.set(CURLOPT_QUICK_EXIT, true)
        try easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try easy.set(CURLOPT_FOLLOWLOCATION, false)
        try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        try easy.set(CURLOPT_HTTP09_ALLOWED, false)
        try easy.set(CURLOPT_HTTP_CONTENT_DECODING, false)
        try easy.set(CURLOPT_TCP_KEEPALIVE, true)
        try easy.set(CURLOPT_PIPEWAIT, false)
        try easy.set(CURLOPT_HTTP_VERSION, connection.prefersHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
    }

    /// Transfers of a thread that have a large buffer each: with more, a read finds less to fill it with.
    private static let wellBuffered = 6

    /// Bytes that libcurl reads at once.
    private func bufferSize(pacedRate: Int64?, others: Int) -> Int {
        // One read of a plain socket fills it; TLS gives out records of 16 KiB however large it is.
        var size = url.isSecure ? 64 << 10 : others < Self.wellBuffered ? 512 << 10 : 128 << 10
        // What has been read is held back by the pacer: it must be a small part of a second.
        if let maximumRate { size = Int(min(max(maximumRate / 16, 1024), Int64(size))) }
        // libcurl copies what it holds back with every call of 16 KiB.
        if let pacedRate { size = Int(min(max(pacedRate / 64, 1024), 16 * 1024, Int64(size))) }
        return size
    }

    /// Who asks: agent, credentials, cookies.
    private func applyIdentity(to easy: borrowing EasyHandle, share: ShareHandle) throws(TransportError) {
        if let agent = connection.userAgent, fields["User-Agent"] == nil { try easy.set(CURLOPT_USERAGENT, agent) }
        try easy.setBasicAuthentication()
        if let credentials {
            try easy.set(CURLOPT_USERNAME, credentials.name)
            try easy.set(CURLOPT_PASSWORD, credentials.password)
        }
        switch connection.netrc {
        case .never: try easy.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        case .optional: try easy.set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue))
        case .required: try easy.set(CURLOPT_NETRC, Int(CURL_NETRC_REQUIRED.rawValue))
        }
        if let file = connection.netrcFile { try easy.set(CURLOPT_NETRC_FILE, file) }
        // An empty name turns cookies on without reading a file.
        try easy.set(CURLOPT_COOKIEFILE, "")
        if let file = connection.cookieFile {
            try share.onFirstUse(of: file, for: "read") { () throws(TransportError) in
                try easy.set(CURLOPT_COOKIEFILE, file)
                // At once, so that no other transfer goes out without them.
                try easy.set(CURLOPT_COOKIELIST, "RELOAD")
            }
        }
        // As an option, not as a field: libcurl puts it into one line with the cookies that servers have set.
        if let cookies = cookieText { try easy.set(CURLOPT_COOKIE, cookies) }
    }

    /// The values of all `Cookie` fields as one.
    private var cookieText: String? {
        let values = fields.all("Cookie").filter { !$0.isEmpty }
        return values.isEmpty ? nil : values.joined(separator: "; ")
    }

    /// Field lines as libcurl wants them: an empty value is told by a semicolon in place of the colon.
    private func fieldLines() throws(TransportError) -> [String] {
        var lines: [String] = []
        for field in fields.lines where cookieText == nil || !HTTPFields.equal(field.name, "Cookie") {
            try field.checkFraming()
            lines.append(field.value.isEmpty ? field.name + ";" : field.name + ": " + field.value)
        }
        return lines
    }
}

extension ConnectionOptions {
    fileprivate func applyRoute(
        to easy: borrowing EasyHandle, addresses: borrowing StringList
    ) throws(TransportError) {
        let milliseconds = connectTimeout / .milliseconds(1)
        try easy.set(CURLOPT_CONNECTTIMEOUT_MS, Int(min(max(milliseconds.rounded(.up), 1), 1e9)))
        if let proxy { try easy.set(CURLOPT_PROXY, proxy) }
        if let noProxy { try easy.set(CURLOPT_NOPROXY, noProxy) }
        switch ipVersion {
        case .any: break
        case .v4: try easy.set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
        case .v6: try easy.set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
        }
        if let interface { try easy.set(CURLOPT_INTERFACE, interface) }
        if !resolve.isEmpty { try easy.set(CURLOPT_RESOLVE, addresses) }
    }

    fileprivate func applyTrust(to easy: borrowing EasyHandle) throws(TransportError) {
        if let trustFile {
            try easy.set(CURLOPT_CAINFO, trustFile)
            // Else the system's directory of certificates would be trusted beside the file.
            try easy.set(CURLOPT_CAPATH, nil)
            // A proxy that is reached by https is trusted by the same word.
            try easy.set(CURLOPT_PROXY_CAINFO, trustFile)
            try easy.set(CURLOPT_PROXY_CAPATH, nil)
        }
        if acceptsAnyCertificate {
            try easy.set(CURLOPT_SSL_VERIFYPEER, false)
            try easy.set(CURLOPT_SSL_VERIFYHOST, 0)
            try easy.set(CURLOPT_PROXY_SSL_VERIFYPEER, false)
            try easy.set(CURLOPT_PROXY_SSL_VERIFYHOST, 0)
        }
        if let clientCertificateFile { try easy.set(CURLOPT_SSLCERT, clientCertificateFile) }
        if let clientKeyFile { try easy.set(CURLOPT_SSLKEY, clientKeyFile) }
        // Else OpenSSL would ask for a key's pass phrase on the terminal, and everything would wait for the answer.
        if clientCertificateFile != nil { try easy.set(CURLOPT_KEYPASSWD, "") }
        switch minimumTLSVersion {
        case nil: break
        case .v1_0: try easy.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_0))
        case .v1_1: try easy.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_1))
        case .v1_2: try easy.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        case .v1_3: try easy.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_3))
        }
    }
}
