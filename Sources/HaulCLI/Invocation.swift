import Haul

/// What the program is asked to do.
///
/// Made before anything touches the network or the disk.
enum Invocation: Sendable {
    case help(Arguments.Help)
    case helpOf(Command)
    case version
    case manual
    case completions(Shell)
    case demo
    case status(StatusJob)
    case verify(VerifyJob)
    case doctor(DoctorJob)
    case fetch(FetchJob)

    /// What the outside has to say while arguments are judged; replaced in tests.
    struct Judges: Sendable {
        /// The library's own check of a request.
        var validate: @Sendable (DownloadRequest, DownloadOptions) throws(DownloadError) -> Void
        /// Whether a path names a directory.
        var isDirectory: @Sendable (String) -> Bool
        /// Why a file can't be read, in the system's words; nil if it can.
        var unreadable: @Sendable (String) -> String? = { _ in nil }
        /// Whether a file holds what it has to; so does one that can be read only once.
        var holds: @Sendable (String, FileKind) -> Bool = { _, _ in true }
        /// What is wrong with the netrc file that options name, with file and line.
        var checkNetrc: @Sendable (DownloadOptions) throws(DownloadError) -> Void = { _ in }
        /// Whether a path may be opened for writing: no pipe, and no link to something else.
        var mayBeWritten: @Sendable (String) -> Bool = { _ in true }
    }

    /// Finds out what was meant.
    ///
    /// - Parameters:
    ///   - arguments: what was typed.
    ///   - judges: what the outside has to say.
    /// - Throws: what can't be used.
    init(_ arguments: Arguments, judges: Judges) throws(UsageError) {
        if let help = arguments.help {
            self = arguments.command.map { .helpOf($0) } ?? .help(help)
        } else if arguments.version {
            self = .version
        } else if let command = arguments.command {
            self = try Self.command(command, arguments, judges)
        } else if let word = arguments.positionals.first, let meant = Command.meant(by: word) {
            throw UsageError(
                "'\(Printable.escaping(word))' is no command, and no address: did you mean 'haul \(meant)'?")
        } else {
            self = .fetch(try FetchJob(arguments, judges: judges))
        }
    }

    private static func command(
        _ command: Command, _ arguments: Arguments, _ judges: Judges
    ) throws(UsageError) -> Invocation {
        let foreign = arguments.spellings.first { !(FlagTable.flag(spelling: $0).map(command.accepts) ?? false) }
        if let option = foreign {
            throw UsageError("option '\(option)' can't be used with 'haul \(command.rawValue)'")
        }
        let operands = arguments.positionals.dropFirst()
        if let extra = operands.dropFirst(command.operand == nil ? 0 : 1).first {
            throw UsageError("'haul \(command.rawValue)' does not take '\(Printable.escaping(extra))'")
        }
        switch command {
        case .status: return .status(try StatusJob(arguments, of: operands.first))
        case .verify: return .verify(try VerifyJob(arguments, of: operands.first, judges: judges))
        case .doctor: return .doctor(try DoctorJob(arguments, at: operands.first, judges: judges))
        case .demo: return .demo
        case .man: return .manual
        case .help: return try help(operands.first)
        case .completions:
            let known = Shell.allCases.map(\.rawValue).joined(separator: ", ")
            guard let name = operands.first else {
                throw UsageError("'haul completions' needs a shell: one of \(known)")
            }
            guard let shell = Shell(rawValue: name) else {
                throw UsageError("no completions for shell '\(Printable.escaping(name))': use one of \(known)")
            }
            return .completions(shell)
        }
    }

    private static func help(_ word: String?) throws(UsageError) -> Invocation {
        guard let word else { return .help(.full) }
        guard let command = Command(rawValue: word) else {
            let known = Command.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("no help for '\(Printable.escaping(word))', which is no command: use one of \(known)")
        }
        return .helpOf(command)
    }
}
