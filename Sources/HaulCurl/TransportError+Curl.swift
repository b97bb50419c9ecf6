import CCurl
import HaulCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension CURLcode {
    /// The code in libcurl's words.
    ///
    /// C function: `curl_easy_strerror`.
    var words: String {
        guard let text = unsafe curl_easy_strerror(self) else { return "error \(rawValue)" }
        return unsafe String(cString: text)
    }
}

extension TransportError {
    /// Says in our terms how a transfer failed.
    ///
    /// - Parameters:
    ///   - code: what libcurl returned, not `CURLE_OK`.
    ///   - easy: the transfer's handle.
    ///   - request: what was sent.
    ///   - afterHead: whether the final head had come.
    init(_ code: CURLcode, of easy: borrowing EasyHandle, for request: TransferRequest, afterHead: Bool) {
        let detail = easy.message.isEmpty ? code.words : easy.message
        let systemError = Int32(truncatingIfNeeded: easy.number(CURLINFO_OS_ERRNO))
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: self = .nameNotResolved(host: request.url.host)
        case CURLE_PROXY where Self.wantsLogin(CURLproxycode(UInt32(easy.number(CURLINFO_PROXY_ERROR)))):
            self = .proxyLogin(detail: detail)
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: self = .proxy(detail: detail)
        case CURLE_COULDNT_CONNECT:
            self = Self.noConnection(detail, to: request.url, systemError: systemError)
        // With no local port left, the interface is not to blame.
        case CURLE_INTERFACE_FAILED where systemError != EADDRINUSE:
            self = .noInterface(name: request.connection.interface ?? "", detail: detail)
        case CURLE_INTERFACE_FAILED: self = .connectionFailed(detail: detail)
        case CURLE_OPERATION_TIMEDOUT: self = .connectTimedOut
        case CURLE_SSL_CONNECT_ERROR where Self.isBroken(detail, systemError: systemError):
            self = .connectionFailed(detail: detail)
        // OpenSSL's words for what the server's alert says, or for what its answer lacks.
        case CURLE_SSL_CONNECT_ERROR
        where request.url.isSecure && (detail.contains("protocol version") || detail.contains("unsupported protocol")):
            self = .tlsVersion(detail: detail)
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
            CURLE_SSL_CRL_BADFILE, CURLE_USE_SSL_FAILED, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            // Without TLS to the host itself, it was the proxy's.
            let isProxys = !request.url.isSecure || easy.number(CURLINFO_PROXY_SSL_VERIFYRESULT) != 0
            let problem =
                isProxys ? "of the proxy: \(detail)" : Self.trustProblem(easy, detail, options: request.connection)
            self = .tls(detail: problem)
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP2,
            CURLE_HTTP2_STREAM, CURLE_HTTP3:
            self = .malformedResponse(detail: detail)
        // A line beyond libcurl's limit of 100 KiB is "out of memory" to libcurl 7.
        case CURLE_OUT_OF_MEMORY where !afterHead && easy.number(CURLINFO_HEADER_SIZE) > 0: self = .headTooLarge
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_SEND_FAIL_REWIND:
            self = Self.broken(detail, connectStatus: easy.number(CURLINFO_HTTP_CONNECTCODE), afterHead: afterHead)
        default: self = .transportFailure(detail: detail)
        }
    }

    private static func noConnection(_ detail: String, to url: ResourceURL, systemError: Int32) -> TransportError {
        // “Failed to connect to HOST port N …”: another host than ours is the proxy.
        let host = url.host.filter { $0 != "[" && $0 != "]" }
        let prefix = "Failed to connect to "
        if detail.hasPrefix(prefix), !detail.hasPrefix(prefix + host + " port \(url.port)") {
            return .proxy(detail: detail)
        }
        return systemError == ECONNREFUSED
            ? .connectionRefused(host: url.host, port: url.port) : .connectionFailed(detail: detail)
    }

    /// Whether a SOCKS proxy refused for want of a name and password, or for those that it was given.
    private static func wantsLogin(_ code: CURLproxycode) -> Bool {
        [CURLPX_NO_AUTH, CURLPX_USER_REJECTED, CURLPX_LONG_USER, CURLPX_LONG_PASSWD].contains(code)
    }

    private static func broken(_ detail: String, connectStatus: Int, afterHead: Bool) -> TransportError {
        // The proxy's answer to CONNECT: anything but 2xx is a refusal.
        if connectStatus == 407 { return .proxyLogin(detail: detail) }
        if connectStatus != 0, !(200..<300).contains(connectStatus) { return .proxy(detail: detail) }
        if detail.contains("chunked-encoding") || detail.contains("hexadecimal") {
            return .malformedResponse(detail: detail)
        }
        if detail.hasPrefix("Too large response headers") { return .headTooLarge }
        return afterHead ? .brokenInBody(detail: detail) : .brokenBeforeHead(detail: detail)
    }

    /// Whether the handshake ended because the connection did.
    private static func isBroken(_ detail: String, systemError: Int32) -> Bool {
        systemError == ECONNRESET || systemError == EPIPE || detail.contains("SSL_ERROR_SYSCALL")
            || detail.contains("reset by peer")
    }

    /// What is wrong with the certificate, from OpenSSL's verdict (`CURLINFO_SSL_VERIFYRESULT`, `X509_V_ERR_…`).
    private static func trustProblem(
        _ easy: borrowing EasyHandle, _ detail: String, options: ConnectionOptions
    ) -> String {
        if detail.contains("subject name") { return "the certificate is for another host (\(detail))" }
        // OpenSSL's words for bytes that are no TLS record.
        if detail.contains("wrong version number") { return "the server does not speak TLS on this port (\(detail))" }
        let words: String? =
            switch easy.number(CURLINFO_SSL_VERIFYRESULT) {
            case 10: "the certificate has expired"
            case 9: "the certificate is not valid yet"
            case 18: "the certificate is self-signed"
            case 19: "the certificate's authority is not trusted: its root is self-signed and unknown"
            case 2, 20, 21: "the certificate's authority is unknown"
            case 23: "the certificate has been revoked"
            default: nil
            }
        return words.map { "\($0) (\(detail))" } ?? detail
    }
}
