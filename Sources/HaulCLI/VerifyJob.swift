import Haul

/// `haul verify FILE`: compares a file with what its publisher says.
struct VerifyJob: Sendable {
    private let file: String
    private let checksums: [Checksum]
    private let checksumFile: String?
    private let options: DownloadOptions
    private let json: Bool
    private let isQuiet: Bool

    /// Judges the arguments.
    init(_ arguments: Arguments, of file: String?, judges: Invocation.Judges) throws(UsageError) {
        guard let file, !file.isEmpty else { throw UsageError("'haul verify' needs a file") }
        guard !arguments.checksums.isEmpty || arguments.checksumFile != nil else {
            throw UsageError(
                "'haul verify' needs something to compare with: --checksum ALGO=HEX or --checksum-file FILE")
        }
        try judges.checkFiles(arguments)
        self.file = file
        checksums = arguments.checksums
        checksumFile = arguments.checksumFile
        options = FetchJob.options(arguments)
        json = arguments.json
        isQuiet = arguments.verbosity == .quiet
    }

    /// Reads the file and prints whether it is what it should be.
    @concurrent func run(_ console: Console, _ interruption: @Sendable () -> Int32?) async -> ExitStatus {
        if let warning = options.netrcWarning { console.error("haul: " + Printable.escaping(warning)) }
        do throws(DownloadError) {
            if Platform.isDirectory(file) {
                throw DownloadError(.fileSystem, "\(file): is a directory: name a file in it")
            }
            let proofs = try await Downloader().verify(
                file, against: checksums, checksumFile: checksumFile, options: options)
            let names = proofs.map(\.algorithm)
            if json {
                var object = JSONObject()
                object.add("path", file)
                object.add("ok", true)
                object.add("verified", names)
                console.output(object.text)
            } else if !isQuiet {
                console.output("\(Printable.escaping(file)): OK (\(names.joined(separator: ", ")))")
            }
            return .done
        } catch {
            if error.code == .cancelled, let signal = interruption() { return .interrupted(signal: signal) }
            let status = ExitStatus(error.code)
            if json {
                var object = JSONObject()
                object.add("path", file)
                object.add("ok", false)
                object.add("message", error.message)
                object.add("exit", status.code)
                console.output(object.text)
            }
            console.error("haul: " + Report.line(error, url: nil))
            return status
        }
    }
}
