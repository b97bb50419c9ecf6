/// How to fetch.
///
/// Every default says where it comes from.
public struct DownloadOptions: Sendable {
    /// Number of connections at once, 1–256.
    ///
    /// Default 8: the point where measured gain on capped links levels off.
    public var connections = 8
    /// Ranges smaller than this are not split between connections, in bytes.
    ///
    /// Default 1 MiB: below it a new request costs more than it wins at 20 MiB/s and 50 ms.
    public var minimumSplitSize: Int64 = 1 << 20
    /// Attempts without a byte of progress before giving up.
    ///
    /// Default 5, aria2's.
    public var retries = 5
    /// Longest time for look-up, connect and handshake together.
    ///
    /// Default 15 s.
    public var connectTimeout: Duration = .seconds(15)
    /// Longest silence of a connection before it is replaced.
    ///
    /// Default 15 s.
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
    public var trustFile: String?
    /// Accept any certificate.
    public var acceptsAnyCertificate = false
    /// Value of `User-Agent`; nil is haul's own.
    public var userAgent: String?
    /// Redirects to follow before giving up.
    ///
    /// Default 20.
    public var maximumRedirects = 20

    /// Makes options with the defaults.
    public init() {}
}
