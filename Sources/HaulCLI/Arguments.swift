import Haul

/// What was typed, option by option: values are read, but what they mean together is for `Invocation`.
struct Arguments: Sendable {
    /// Which help was asked for.
    enum Help: Sendable { case short, full }

    /// How much to say.
    enum Verbosity: Sendable { case quiet, normal, verbose }

    /// How to show progress.
    enum Progress: String, CaseIterable, Sendable { case auto, bar, plain, none }

    /// What is not an option, in order: a command or addresses.
    var positionals: [String] = []
    /// Options as typed, in order, for commands that take none.
    var spellings: [String] = []

    var output: String?
    var directory: String?
    var force = false
    var restart = false
    var noSync = false
    var prefix: String?
    var mirrors: [String] = []

    /// Number of connections; nil finds it out.
    var connections: Int?
    var minimumSplitSize: Int64?
    var retries: Int?
    var connectTimeout: Duration?
    var stallTimeout: Duration?

    var inputFiles: [String] = []
    var metalinks: [String] = []
    var jobs: Int?

    var headers: [String] = []
    var credentials: (name: String, password: String)?
    var userAgent: String?
    var maximumRedirects: Int?

    var trustFile: String?
    var insecure = false

    var checksums: [Checksum] = []
    var noVerify = false

    var verbosity = Verbosity.normal
    var json = false
    var progress = Progress.auto
    var help: Help?
    var version = false

    var netrc = false
    var netrcFile: String?
    var referer: String?
    var cookies: [String] = []
    var cookieFile: String?
    var cookieJar: String?
    var proxy: String?
    var locationTrusted = false

    var certificate: String?
    var key: String?
    var minimumTLSVersion: TLSVersion?
    var ipVersion = IPVersion.any
    var interface: String?
    var resolve: [String] = []
    var http2 = false

    var temporaryDirectory: String?
    var maximumTime: Duration?
    var maximumRate: Int64?
    var range: DownloadRequest.RequestedRange?
    var checksumFile: String?
    var noConfig = false

    /// The command that the first word names, if it is one.
    var command: Command? { positionals.first.flatMap(Command.init(rawValue:)) }
}
