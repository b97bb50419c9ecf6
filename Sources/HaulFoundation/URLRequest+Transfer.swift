import Foundation
import HaulCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLRequest {
    /// Makes the request that a transfer asks for.
    ///
    /// - Parameters:
    ///   - request: what to send.
    ///   - jar: cookies that were set on the way.
    /// - Throws: `.transportFailure` for a field that would break the message, or what URLSession can't do.
    init(_ request: TransferRequest, jar: CookieJar) throws(TransportError) {
        if let objection = request.connection.sessionObjection { throw .transportFailure(detail: objection) }
        guard let url = URL(string: request.url.text) else {
            throw .transportFailure(detail: "\(request.url.redacted) is no address to URLSession")
        }
        self.init(url: url)
        for field in request.fields.lines where !HTTPFields.equal(field.name, "Cookie") {
            try field.checkFraming()
            addValue(field.value, forHTTPHeaderField: field.name)
        }
        if let agent = request.connection.userAgent, request.fields["User-Agent"] == nil {
            setValue(agent, forHTTPHeaderField: "User-Agent")
        }
        if let cookies = jar.text(for: request, at: url) {
            try HTTPField("Cookie", cookies).checkFraming()
            setValue(cookies, forHTTPHeaderField: "Cookie")
        }
        if let credentials = request.credentials, request.fields["Authorization"] == nil {
            let secret = Data((credentials.name + ":" + credentials.password).utf8).base64EncodedString()
            setValue("Basic " + secret, forHTTPHeaderField: "Authorization")
        }
    }
}

extension ConnectionOptions {
    /// Which of the options URLSession can't carry out, in one line; nil if it can do them all.
    var sessionObjection: String? {
        let impossible: [(Bool, String)] = [
            (trustFile != nil, "certificates of one's own"), (acceptsAnyCertificate, "accepting any certificate"),
            (clientCertificateFile != nil, "client certificates"), (minimumTLSVersion != nil, "a version of TLS"),
            (proxy.map { !$0.isEmpty } ?? false, "a proxy"), (ipVersion != .any, "a version of IP"),
            (interface != nil, "an interface"), (!resolve.isEmpty, "addresses in place of a look-up"),
            (netrc != .never, "a netrc file"), (cookieFile != nil || cookieJar != nil, "files of cookies"),
        ]
        return impossible.first { $0.0 }.map {
            "URLSession leaves \($0.1) to the system: set it there, or use the downloader over libcurl"
        }
    }
}
