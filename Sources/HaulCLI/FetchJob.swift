import Haul

/// What to fetch, how, and how to tell about it.
struct FetchJob: Sendable {
    /// How to tell about it.
    struct Reporting: Sendable {
        /// How much to say.
        var verbosity: Arguments.Verbosity
        /// Whether events go to standard output as JSON lines.
        var json: Bool
        /// How to show progress.
        var progress: Arguments.Progress
    }

    /// One request a file, in the order given.
    let requests: [DownloadRequest]
    /// Lists of more requests; `-` is standard input.
    let inputFiles: [String]
    /// Metalinks with more requests: paths or addresses.
    let metalinks: [String]
    /// How requests are made from such a list.
    let template: RequestTemplate
    /// Files at once.
    let jobs: Int
    /// How to fetch each of them.
    let options: DownloadOptions
    /// How to tell about it.
    let reporting: Reporting
    /// Most bytes a second, nil for no limit.
    let maximumRate: Int64?

    /// Judges arguments that ask for a fetch.
    ///
    /// - Throws: what can't be used, alone or together.
    init(_ arguments: Arguments, judges: Invocation.Judges) throws(UsageError) {
        let urls = arguments.positionals
        let isListed = !arguments.inputFiles.isEmpty || !arguments.metalinks.isEmpty
        guard !urls.isEmpty || isListed else {
            throw UsageError("no URL given: write haul [OPTIONS] URL..., or haul --help")
        }
        if urls.contains("") { throw UsageError("an empty URL was given") }
        if arguments.output == "-", arguments.json {
            throw UsageError("'--json' and '--output -' both want standard output: give a file, or leave out --json")
        }
        try Self.checkIsAlone(arguments)
        try judges.checkFiles(arguments)
        let options = Self.options(arguments)
        self.options = options
        maximumRate = arguments.maximumRate
        reporting = Reporting(
            verbosity: arguments.verbosity, json: arguments.json,
            progress: arguments.json && arguments.progress == .auto ? .none : arguments.progress)
        let destination = try Self.destination(arguments)
        var requests: [DownloadRequest] = []
        template = RequestTemplate(
            request: Self.request("", to: destination, arguments), directory: arguments.directory
        ) { request throws(DownloadError) in try judges.validate(request, options) }
        inputFiles = arguments.inputFiles
        metalinks = arguments.metalinks
        jobs = arguments.jobs ?? (urls.count == 1 && !isListed ? 1 : 4)
        for url in urls { requests.append(try Self.valid(template.request(url), template)) }
        // What no line of a list could use is said once, and before it is read.
        if isListed { _ = try Self.valid(template.request("http://localhost/"), template) }
        self.requests = requests
        // Last, since it is the only look at the disk.
        if case .file(let path) = destination, judges.isDirectory(path) {
            throw UsageError("'\(Printable.escaping(path))' is a directory: use --directory to put the file into it")
        }
    }

    private static func valid(
        _ request: DownloadRequest, _ template: RequestTemplate
    ) throws(UsageError) -> DownloadRequest {
        do {
            try template.validate(request)
            return request
        } catch {
            throw UsageError(Printable.escaping(error.message))
        }
    }

    /// Makes sure that options for one file stand beside one address.
    private static func checkIsAlone(_ arguments: Arguments) throws(UsageError) {
        let options = [
            ("output", arguments.output != nil), ("checksum", !arguments.checksums.isEmpty),
            ("mirror", !arguments.mirrors.isEmpty), ("adopt", arguments.prefix != nil),
        ]
        guard let option = options.first(where: \.1)?.0 else { return }
        if !arguments.metalinks.isEmpty {
            throw UsageError("option '--\(option)' is for one file: a metalink says itself what its files are")
        }
        if !arguments.inputFiles.isEmpty {
            let place = option == "mirror" ? "beside the address, behind a tab" : "below the address"
            throw UsageError(
                "option '--\(option)' is for one file: "
                    + (option == "adopt" ? "give its URL" : "write it into the list, \(place)"))
        }
        if arguments.positionals.count > 1 {
            let advice = option == "output" ? "use --directory" : "give them one at a time"
            throw UsageError(
                "option '--\(option)' is for one file but \(arguments.positionals.count) URLs were given: \(advice)")
        }
    }

    /// Whether the bytes go to standard output.
    var isStream: Bool {
        requests.contains { if case .descriptor = $0.destination { true } else { false } }
    }

    private static func destination(_ arguments: Arguments) throws(UsageError) -> DownloadRequest.Destination {
        guard let output = arguments.output else { return .directory(arguments.directory ?? ".") }
        if output == "-" { return .descriptor(Platform.standardOutput) }
        if output.hasSuffix("/") {
            throw UsageError("'\(Printable.escaping(output))' is a directory: use --directory to put the file into it")
        }
        return .file(RequestTemplate.joined(arguments.directory, output))
    }

    /// Whether there may be more than one file.
    var isBatch: Bool { requests.count > 1 || isListed }

    /// Whether files are named by something else than the command line.
    var isListed: Bool { !inputFiles.isEmpty || !metalinks.isEmpty }

    /// Fewest files that must be allowed to be open at once.
    static let leastOpenFiles = 32
    /// Open files that are neither connections nor a download's own: streams, pipes, threads, look-ups.
    private static let otherOpenFiles = 24

    /// What all files share: the connections to one host are as many as one of them, or all with one each, may use.
    ///
    /// - Parameter openFiles: how many files may be open at once, at least `leastOpenFiles`.
    /// - Returns: limits that keep within it.
    func limits(openFiles: Int) -> DownloaderOptions {
        let room = max(4, openFiles - Self.otherOpenFiles)
        var limits = DownloaderOptions()
        // A partial, its journal, a file that is compared, a connection.
        limits.maximumConcurrentDownloads = min(jobs, room / 4)
        limits.maximumConnectionsPerHost = max(limits.maximumConnectionsPerHost, options.connections ?? 0, jobs)
        limits.maximumConnections = min(
            max(limits.maximumConnections, limits.maximumConnectionsPerHost),
            room - 3 * limits.maximumConcurrentDownloads)
        return limits
    }

    static func request(
        _ url: String, to destination: DownloadRequest.Destination, _ arguments: Arguments
    ) -> DownloadRequest {
        var request = DownloadRequest(url, to: destination)
        request.headers = arguments.headers
        request.credentials = arguments.credentials.map { .init(name: $0.name, password: $0.password) }
        request.checksums = arguments.checksums
        request.existing = arguments.force ? .replace : .verify
        request.discardsPartial = arguments.restart
        request.prefix = arguments.prefix
        request.mirrors = arguments.mirrors
        arguments.apply(to: &request)
        return request
    }

    static func options(_ arguments: Arguments) -> DownloadOptions {
        var options = DownloadOptions()
        if let connections = arguments.connections { options.connections = connections }
        if let size = arguments.minimumSplitSize { options.minimumSplitSize = size }
        if let retries = arguments.retries { options.retries = retries }
        if let timeout = arguments.connectTimeout { options.connectTimeout = timeout }
        if let timeout = arguments.stallTimeout { options.stallTimeout = timeout }
        if let redirects = arguments.maximumRedirects { options.maximumRedirects = redirects }
        options.userAgent = arguments.userAgent
        options.trustFile = arguments.trustFile
        options.acceptsAnyCertificate = arguments.insecure
        options.syncsBeforePublishing = !arguments.noSync
        options.verifiesContent = !arguments.noVerify
        arguments.apply(to: &options)
        return options
    }
}
