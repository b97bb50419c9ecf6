import HaulCore

extension ConnectionOptions {
    /// Trust, time-outs, route and identity as the user asked for them.
    init(_ options: DownloadOptions) {
        self.init()
        connectTimeout = options.connectTimeout
        trustFile = options.trustFile
        acceptsAnyCertificate = options.acceptsAnyCertificate
        clientCertificateFile = options.clientCertificateFile
        clientKeyFile = options.clientKeyFile
        minimumTLSVersion = options.minimumTLSVersion.flatMap { TLSVersion(rawValue: $0.rawValue) }
        proxy = options.proxy
        noProxy = options.noProxy
        ipVersion =
            switch options.ipVersion {
            case .any: .any
            case .v4: .v4
            case .v6: .v6
            }
        interface = options.interface
        resolve = options.resolve
        prefersHTTP2 = options.prefersHTTP2
        userAgent = options.userAgent ?? Self.usualAgent
        cookieFile = options.cookieFile
        cookieJar = options.cookieJar
        switch options.netrc {
        case .never: netrc = .never
        case .home: netrc = .optional
        case .file(let path):
            netrc = .optional
            netrcFile = path
        }
    }

    private static let usualAgent = "haul/\(Build.version)"
}
