/// Every option, in the order of the full help.
enum FlagTable {
    /// All options.
    static let all = commonFlags + requestFlags + networkFlags + limitFlags

    /// What most downloads need.
    private static let commonFlags: [Flag] = [
        // MARK: - Output
        Flag(
            "output", "o", "FILE", .output, rank: 1, "write to FILE",
            details: """
                Without it the name comes from the server or the address. With -d, a relative FILE is inside that \
                directory. For one URL only. - is standard output, in order and over several connections; what comes \
                before its turn, 64M at most, waits in a file without a name in --temp-directory or $TMPDIR.
                """,
            completion: .files
        ) { arguments, given throws(UsageError) in arguments.output = try given.nonEmpty() },
        Flag(
            "directory", "d", "DIR", .output, rank: 2, "put files into DIR", details: "The default is the current one.",
            completion: .directories
        ) { arguments, given throws(UsageError) in arguments.directory = try given.nonEmpty() },
        Flag(
            "force", "f", nil, .output, rank: 5, "replace a file that exists",
            details: "It stays untouched until the new one is finished and verified."
        ) { arguments, _ in arguments.force = true },
        Flag(
            "restart", nil, nil, .output, rank: 6, "throw away what an earlier run left and begin anew",
            details: "Going on from what is there is the default."
        ) { arguments, _ in arguments.restart = true },
        Flag(
            "adopt", nil, "FILE", .output, "go on from FILE, which another tool left",
            details: """
                FILE holds the beginning, as curl, wget and browsers leave it. Its length and samples of its bytes are \
                compared with the server's first; then it becomes the partial. It may bear the final name.
                """,
            completion: .files
        ) { arguments, given throws(UsageError) in arguments.prefix = try given.nonEmpty() },
        Flag(
            "no-sync", nil, nil, .output, "give the file its name before the disk has confirmed the bytes",
            details: "A power failure right after the end may then lose the file; a killed process may not."
        ) { arguments, _ in arguments.noSync = true },

        // MARK: - Transfer
        Flag(
            "connections", "n", "N", .transfer, rank: 3, "fetch over N connections at once, 1 to 256 (default auto)",
            details: """
                auto starts with four and doubles them while that raises the rate, up to 16. Fewer are used when the file is \
                small, or the server ignores ranges or refuses connections.
                """
        ) { arguments, given throws(UsageError) in
            arguments.connections = try given.integerOrAuto(in: 1...256)
        },
        Flag(
            "min-split-size", nil, "SIZE", .transfer, "never split ranges smaller than SIZE (default 1M)",
            details: """
                Sizes read 8388608, 8M or 8MiB; K, M, G and T are powers of 1024. Without this option the last ranges of \
                a slow transfer are split down to 256K.
                """
        ) { arguments, given throws(UsageError) in arguments.minimumSplitSize = try given.size() },
        Flag(
            "retry", nil, "N", .transfer, "try again N times without a byte of progress (default 5)",
            details: "A connection that breaks goes on from its last byte; with 0 the first failure is final."
        ) { arguments, given throws(UsageError) in arguments.retries = try given.integer(in: 0...1_000_000) },
        Flag(
            "connect-timeout", nil, "SECONDS", .transfer,
            "longest time for look-up, connect and TLS together (default 15)"
        ) { arguments, given throws(UsageError) in arguments.connectTimeout = try given.duration() },
        Flag(
            "stall-timeout", nil, "SECONDS", .transfer, "replace a connection that is silent this long (default 15)",
            details: "There is no limit on the total time but --max-time."
        ) { arguments, given throws(UsageError) in arguments.stallTimeout = try given.duration() },

        // MARK: - Batch
        Flag(
            "input-file", "i", "FILE", .batch, rank: 7, "fetch the files listed in FILE; - is standard input",
            details: """
                One download a line, in aria2's format: addresses of one file separated by tabs, then indented lines \
                out=, dir=, checksum=, header=, split=, max-connection-per-server=, referer= and user-agent= for it; \
                lines that begin with # are comments. A line that can't be used is named, and the rest goes on; after 100 \
                of a list they are only counted. May be given more than once: the lists are read in order.
                """,
            completion: .files
        ) { arguments, given throws(UsageError) in arguments.inputFiles.append(try given.nonEmpty()) },
        Flag(
            "jobs", "j", "N", .batch, rank: 8, "fetch N files at once, 1 to 256 (default 4)",
            details: """
                They share one budget: at most 16 connections to one host, or N if that is more. An address given twice \
                is fetched once, and files that would bear one name get 'name (2).ext'.
                """
        ) { arguments, given throws(UsageError) in arguments.jobs = try given.integer(in: 1...256) },

        Flag(
            "metalink", nil, "FILE|URL", .batch, "fetch the files that a metalink describes",
            details: """
                Version 4 (RFC 5854) or 3: addresses by priority, sizes, and digests of files and pieces, which are all \
                checked; of a file with a bad piece only that piece is fetched again. Names are made harmless. Headers, \
                cookies and passwords go to the metalink's own address only. A metalink of one file is shown like an \
                address alone; one without files is an error. May be given more than once.
                """,
            completion: .files
        ) { arguments, given throws(UsageError) in arguments.metalinks.append(try given.nonEmpty()) },

        // MARK: - Request
        Flag(
            "header", "H", "LINE", .request, rank: 9, "send a header, such as 'Name: value'",
            details: """
                May be given more than once. All but Accept*, User-Agent and Referer go only to the scheme, host and \
                port of the URL, never to another one that it redirects to.
                """
        ) { arguments, given throws(UsageError) in arguments.headers.append(try given.header()) },
        Flag(
            "user", "u", "NAME:PASSWORD", .request, rank: 10, "log in with name and password",
            details: """
                Sent to the scheme, host and port of the URL only; as Basic, and as Digest to a server that wants only \
                that.
                """
        ) { arguments, given throws(UsageError) in arguments.credentials = try given.credentials() },
        Flag("user-agent", "A", "NAME", .request, "call the program NAME", details: "The default is haul/VERSION.") {
            arguments, given throws(UsageError) in
            arguments.userAgent = try given.fieldValue()
        },
        Flag("max-redirs", nil, "N", .request, "follow at most N redirects (default 20)") {
            arguments, given throws(UsageError) in
            arguments.maximumRedirects = try given.integer(in: 0...1000)
        },

        Flag(
            "mirror", nil, "URL", .transfer, "another address of the same file; may be given more than once",
            details: """
                Mirrors share the work by speed once their length and samples of their bytes agree with the first \
                address. One that fails or has other bytes is left out with a warning; one that is not needed is not asked.
                """
        ) { arguments, given throws(UsageError) in arguments.mirrors.append(try given.nonEmpty()) },

        // MARK: - TLS
        Flag(
            "cacert", nil, "FILE", .tls, "trust the certificates in FILE (PEM) instead of the system's",
            completion: .files
        ) { arguments, given throws(UsageError) in arguments.trustFile = try given.nonEmpty() },
        Flag(
            "insecure", "k", nil, .tls, "accept any certificate",
            details: "Anyone on the way can then read and change what is sent: use --checksum with it."
        ) { arguments, _ in arguments.insecure = true },

        // MARK: - Integrity
        Flag(
            "checksum", nil, "ALGO=HEX", .integrity, rank: 4, "fail unless the file has this digest",
            details: """
                ALGO is md5, sha-1, sha-256, sha-384, sha-512, blake2b or crc32c. May be given more than once; all are \
                checked. For one URL only.
                """
        ) { arguments, given throws(UsageError) in arguments.checksums.append(try given.checksum()) },
        Flag(
            "no-verify", nil, nil, .integrity, "don't read the file back to compare it with what was received",
            details: "Bytes left by an earlier run, and digests given with --checksum, are checked in any case."
        ) { arguments, _ in arguments.noVerify = true },

        // MARK: - Reporting
        Flag("quiet", "q", nil, .reporting, rank: 11, "print nothing but errors") { arguments, _ in
            arguments.verbosity = .quiet
        },
        Flag("verbose", "v", nil, .reporting, rank: 12, "say how the work is split, and what is retried and why") {
            arguments, _ in
            arguments.verbosity = .verbose
        },
        Flag(
            "json", nil, nil, .reporting, rank: 13, "print events as JSON lines on standard output",
            details: """
                Events are start, plan, progress, retry, restart, notice, verified, done and error; all have url, and \
                output once it is known. An error or notice about a line of a list has no url: its message begins with \
                FILE:LINE.
                """
        ) { arguments, _ in arguments.json = true },
        Flag(
            "progress", nil, "STYLE", .reporting, "show progress as auto, bar, plain or none",
            details: "auto is a bar on a terminal, and a line every five seconds elsewhere.",
            completion: .words(Arguments.Progress.allCases.map(\.rawValue))
        ) { arguments, given throws(UsageError) in
            arguments.progress = try given.choice(of: Arguments.Progress.self)
        },
        Flag(
            "help", "h", nil, .reporting, rank: 14, "print help: -h the short one, --help everything",
            details: "With a command, that command's."
        ) { arguments, given in arguments.help = given.spelling == "-h" ? .short : .full },
        Flag("version", "V", nil, .reporting, rank: 15, "print the version") { arguments, _ in
            arguments.version = true
        },
    ]

    /// The option with a long name.
    static func flag(long name: some StringProtocol) -> Flag? { all.first { $0.long == name } }

    /// The option with a one-letter name.
    static func flag(short name: Character) -> Flag? { all.first { $0.short == name } }

    /// The option as typed, with its hyphens.
    static func flag(spelling: String) -> Flag? {
        if spelling.hasPrefix("--") { return flag(long: spelling.dropFirst(2)) }
        return spelling.last.flatMap { flag(short: $0) }
    }
}
