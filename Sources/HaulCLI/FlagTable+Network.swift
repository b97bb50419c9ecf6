import Haul

extension FlagTable {
    /// Options for TLS and the way to the host.
    static let networkFlags: [Flag] = [
        Flag(
            "cert", nil, "FILE", .tls, "show the certificate in FILE (PEM) to servers that ask for one",
            details: "The key may be in the same file. A key with a pass phrase can't be used.", completion: .files
        ) { arguments, given throws(UsageError) in arguments.certificate = try given.nonEmpty() },
        Flag("key", nil, "FILE", .tls, "the key of --cert, if it is in another FILE (PEM)", completion: .files) {
            arguments, given throws(UsageError) in
            arguments.key = try given.nonEmpty()
        },
        Flag(
            "tls-min", nil, "VERSION", .tls, "refuse TLS older than VERSION: 1.0, 1.1, 1.2 or 1.3",
            completion: .words(TLSVersion.allCases.map(\.rawValue))
        ) { arguments, given throws(UsageError) in
            arguments.minimumTLSVersion = try given.choice(of: TLSVersion.self)
        },
        Flag("ipv4", "4", nil, .tls, "use IPv4 only", details: "Otherwise the kind of address that answers first.") {
            arguments, _ in
            arguments.ipVersion = .v4
        },
        Flag("ipv6", "6", nil, .tls, "use IPv6 only") { arguments, _ in arguments.ipVersion = .v6 },
        Flag(
            "interface", nil, "NAME", .tls, "connect from this network interface or local address",
            details: "A download that has begun waits for one that is gone; otherwise that is an error at once."
        ) { arguments, given throws(UsageError) in arguments.interface = try given.nonEmpty() },
        Flag(
            "resolve", nil, "HOST:PORT:ADDR", .tls, "use ADDR for HOST:PORT instead of a look-up",
            details: "May be given more than once."
        ) { arguments, given throws(UsageError) in arguments.resolve.append(try given.nonEmpty()) },
        Flag(
            "http2", nil, nil, .tls, "offer HTTP/2 to https servers",
            details: "The default is HTTP/1.1, which is as fast with several connections, and lighter."
        ) { arguments, _ in arguments.http2 = true },
    ]

    /// Options for time, rate and place, and for lists of checksums.
    static let limitFlags: [Flag] = [
        Flag(
            "temp-directory", nil, "DIR", .output, "keep unfinished files in DIR instead of beside the finished ones",
            details: """
                DIR may be on another disk: the file is then copied before it gets its name. Files of one name that are \
                bound for different directories don't mix there. 'haul status' needs this option too.
                """,
            completion: .directories
        ) { arguments, given throws(UsageError) in arguments.temporaryDirectory = try given.nonEmpty() },
        Flag(
            "max-time", nil, "SECONDS", .transfer, "give up when a file takes longer than this",
            details: "What was received is kept; the exit status is 3."
        ) { arguments, given throws(UsageError) in arguments.maximumTime = try given.duration() },
        Flag(
            "limit-rate", nil, "SIZE", .transfer, "take at most SIZE bytes a second, over all connections and files"
        ) { arguments, given throws(UsageError) in arguments.maximumRate = try given.size() },
        Flag(
            "range", nil, "FIRST-LAST", .transfer, "fetch only these bytes, counted from 0, LAST included",
            details: """
                FIRST- is all from there on, -N the last N. Checksums and sizes are of these bytes alone. Works with \
                servers that ignore ranges too, which send everything.
                """
        ) { arguments, given throws(UsageError) in arguments.range = try given.range() },
        Flag(
            "checksum-file", nil, "FILE|URL", .integrity, "find the file's digest in a list such as SHA256SUMS",
            details: """
                Lines are 'HEX  NAME' or 'ALGO (NAME) = HEX'; the file's is the one with its name, or with the last \
                part of its URL. A missing one is an error.
                """,
            completion: .files
        ) { arguments, given throws(UsageError) in arguments.checksumFile = try given.nonEmpty() },
        Flag(
            "no-config", nil, nil, .reporting, "don't read the config file",
            details: """
                That is $XDG_CONFIG_HOME/haul/config, or ~/.config/haul/config: one long option a line without its \
                hyphens, such as 'connections 16' or 'connections=16'. Lines that begin with # are comments. The \
                command line goes before it.
                """
        ) { arguments, _ in arguments.noConfig = true },
    ]
}
