/// How connections are made: the same for every request of a download.
package struct ConnectionOptions: Hashable, Sendable {
    // MARK: - Trust

    /// PEM file with the certificates to trust instead of the system's.
    package var trustFile: String?
    /// Accept any certificate.
    package var acceptsAnyCertificate = false
    /// PEM file with the certificate to show to the server, and perhaps its key.
    package var clientCertificateFile: String?
    /// PEM file with the key of `clientCertificateFile`, nil if that file holds it.
    package var clientKeyFile: String?
    /// Oldest version of TLS to accept, nil for the library's default.
    package var minimumTLSVersion: TLSVersion?

    // MARK: - Route

    /// Longest time for name look-up, TCP and TLS together.
    package var connectTimeout: Duration = .seconds(15)
    /// Proxy address; nil leaves the choice to the environment's `*_proxy` variables, empty means none.
    package var proxy: String?
    /// Hosts to reach without the proxy, separated by commas; nil leaves it to the environment's `no_proxy`.
    package var noProxy: String?
    /// Which addresses of a host to use.
    package var ipVersion = IPVersion.any
    /// Network interface, or local address, to connect from.
    package var interface: String?
    /// Addresses to use instead of a look-up, each `HOST:PORT:ADDRESS`.
    package var resolve: [String] = []
    /// Offer HTTP/2 to https servers; otherwise every request is HTTP/1.1.
    package var prefersHTTP2 = false

    // MARK: - Who asks

    /// Value of `User-Agent`.
    package var userAgent: String?
    /// File with cookies to begin with, in Netscape's format; read once for each transport.
    package var cookieFile: String?
    /// File to which all cookies are written, in Netscape's format.
    package var cookieJar: String?
    /// Whether names and passwords come from a netrc file when the request has none.
    package var netrc = NetrcUse.never
    /// The netrc file, nil for the one in the home directory.
    package var netrcFile: String?
    /// Whether the netrc file has an entry for every host, which must not go to a host that a redirect named.
    package var netrcHasDefault = false

    /// Makes options with the defaults.
    package init() {}

    /// A version of TLS.
    package enum TLSVersion: String, CaseIterable, Sendable {
        /// TLS 1.0 (RFC 2246).
        case v1_0 = "1.0"
        /// TLS 1.1 (RFC 4346).
        case v1_1 = "1.1"
        /// TLS 1.2 (RFC 5246).
        case v1_2 = "1.2"
        /// TLS 1.3 (RFC 8446).
        case v1_3 = "1.3"
    }

    /// Which addresses of a host to use.
    package enum IPVersion: Sendable {
        /// Whatever the host has.
        case any
        /// IPv4 only.
        case v4
        /// IPv6 only.
        case v6
    }

    /// How to use a netrc file; what it holds goes only to the host that its entry names.
    package enum NetrcUse: Sendable {
        /// Do not read it.
        case never
        /// Ask it when the request has no credentials.
        case optional
        /// Ask it always; credentials of the request count for nothing.
        case required
    }
}
