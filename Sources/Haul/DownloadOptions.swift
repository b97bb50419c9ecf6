/// How to fetch.
///
/// Every default says where it comes from.
public struct DownloadOptions: Sendable {
    /// Number of connections at once, 1–256; nil finds it out.
    ///
    /// Default nil: a download starts with four and doubles them while that raises its rate, up to
    /// `automaticLimit`.
    public var connections: Int?
    /// Most connections when their number is found out: 16, aria2's limit for a server.
    public static let automaticLimit = 16
    /// Ranges smaller than this are not split between connections, in bytes.
    ///
    /// Default 1 MiB: below it a new request costs more than it wins at 20 MiB/s and 50 ms. With the default, the last
    /// ranges of a slow transfer are split down to 256 KiB; any other number holds to the end.
    public var minimumSplitSize: Int64 = 1 << 20
    /// Attempts without a byte of progress before giving up.
    ///
    /// Default 5, aria2's.
    public var retries = 5
    /// Longest time for look-up, connect and handshake together.
    ///
    /// Default 15 s: room for four attempts of TCP, after 0, 1, 3 and 7 s (RFC 6298), and a handshake.
    public var connectTimeout: Duration = .seconds(15)
    /// Longest silence of a connection before it is replaced.
    ///
    /// Default 15 s, a quarter of aria2's `--timeout`: a connection that is replaced goes on from its last byte.
    public var stallTimeout: Duration = .seconds(15)
    /// Wait for the disk before the name appears.
    ///
    /// Default true: a name means the data survives power loss.
    public var syncsBeforePublishing = true
    /// Read the file back and compare it with what was received.
    ///
    /// Default true; ranges inherited from an earlier run are read back in any case.
    public var verifiesContent = true
    /// PEM file with certificates to trust instead of the system's.
    ///
    /// Default nil: those that libcurl was built to trust.
    public var trustFile: String?
    /// Accept any certificate.
    ///
    /// Default false, as curl's `--insecure`.
    public var acceptsAnyCertificate = false
    /// Value of `User-Agent`.
    ///
    /// Default nil: haul's own, with its version (RFC 9110 §10.1.5).
    public var userAgent: String?
    /// Redirects to follow before giving up.
    ///
    /// Default 20, wget's.
    public var maximumRedirects = 20
    /// Longest time for the whole download; it then fails with `timedOut`, and what was received is kept.
    ///
    /// Default nil: no limit.
    public var maximumTime: Duration?
    /// Directory for the partial file and its journal.
    ///
    /// Default nil: beside the finished file, so that it gets its name by rename(2). On another file system than the
    /// finished file, it is copied and synced before it gets its name. Where the partial of a file of the same name that is
    /// bound for another directory is there already, this one's name also has a checksum of its path:
    /// `NAME~0123456789abcdef.haul`.
    public var temporaryDirectory: String?

    /// Bytes fetched ahead of what has gone out to `DownloadRequest.Destination.descriptor`.
    ///
    /// Default 64 MiB: half a second at 1 Gbit/s, for the slowest of several connections.
    public var streamWindow: Int64 = 64 << 20

    // MARK: - Who asks

    /// Which netrc file gives names and passwords when the request has none.
    ///
    /// Default `never`.
    public var netrc = NetrcUse.never
    /// Send headers, cookies, names and passwords also to the other hosts that redirects lead to.
    ///
    /// Default false: they go to the scheme, host and port of the request's address only.
    public var trustsRedirects = false
    /// File with cookies to begin with, in Netscape's format; each goes to the hosts that it names.
    ///
    /// Read once by each `Downloader`. Default nil: none.
    public var cookieFile: String?
    /// File to which all cookies are written, in Netscape's format.
    ///
    /// Default nil: cookies are kept for the life of the `Downloader` and not written. A link or a pipe of that name is
    /// left alone, and no cookie is written.
    public var cookieJar: String?

    // MARK: - Route

    /// Proxy, such as `http://name:password@proxy:3128`; http, https, socks4, socks4a, socks5 and socks5h are known.
    ///
    /// Default nil: the environment's `http_proxy`, `https_proxy` and `all_proxy` decide; empty is no proxy.
    public var proxy: String?
    /// Hosts to reach without the proxy, separated by commas; `*` is all.
    ///
    /// Default nil: the environment's `no_proxy` decides.
    public var noProxy: String?
    /// Which addresses of a host to use.
    ///
    /// Default `any`: both kinds, whichever answers first (RFC 8305).
    public var ipVersion = IPVersion.any
    /// Network interface, or local address, to connect from.
    ///
    /// Default nil: what the system's routes say.
    public var interface: String?
    /// Addresses to use instead of a look-up, each `HOST:PORT:ADDRESS`, as curl's `--resolve`.
    ///
    /// Default none.
    public var resolve: [String] = []
    /// Offer HTTP/2 to https servers.
    ///
    /// Default false: one HTTP/1.1 connection a range is what makes several connections several.
    public var prefersHTTP2 = false

    // MARK: - TLS

    /// PEM file with the certificate to show to servers that ask for one, and perhaps its key.
    ///
    /// Default nil: none is shown.
    public var clientCertificateFile: String?
    /// PEM file with the key of `clientCertificateFile`; nil if that file holds it.
    ///
    /// It must not need a pass phrase. Default nil.
    public var clientKeyFile: String?
    /// Oldest version of TLS to accept.
    ///
    /// Default nil: what libcurl and its TLS library accept.
    public var minimumTLSVersion: TLSVersion?

    /// Makes options with the defaults.
    public init() {}
}
