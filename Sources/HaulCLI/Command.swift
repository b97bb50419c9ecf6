/// A word that stands where an address would, and does something else than fetch.
enum Command: String, CaseIterable, Sendable {
    case status
    case verify
    case doctor
    case demo
    case man
    case completions
    case help

    /// What somebody who typed a word that is no address may have meant.
    ///
    /// - Returns: what to write behind the program's name; nil if it is like no command.
    static func meant(by word: String) -> String? {
        guard word.allSatisfy({ $0.isASCII && $0.isLetter }) else { return nil }
        let word = word.lowercased()
        if word == "version" { return "--version" }
        return Spelling.closest(to: word, among: allCases.map(\.rawValue))
    }

    /// What follows the command.
    var operand: String? {
        switch self {
        case .status, .verify: "FILE"
        case .doctor: "URL"
        case .completions: "SHELL"
        case .help: "[COMMAND]"
        case .demo, .man: nil
        }
    }

    /// Whether an option means something to the command.
    func accepts(_ flag: Flag) -> Bool {
        let isAboutConnections =
            [.request, .tls].contains(flag.category)
            || ["connect-timeout", "stall-timeout", "retry"].contains(flag.long)
        return switch self {
        case .status: ["json", "temp-directory", "no-config"].contains(flag.long)
        case .verify:
            ["json", "quiet", "checksum", "checksum-file", "no-config"].contains(flag.long) || isAboutConnections
        case .doctor: ["json", "min-split-size", "no-config"].contains(flag.long) || isAboutConnections
        case .demo, .man, .completions, .help: false
        }
    }

    /// Whether a shell offers an option behind the command.
    func offers(_ flag: Flag) -> Bool { flag.long == "help" || accepts(flag) }

    /// One line for help, without a full stop.
    var summary: String {
        switch self {
        case .status: "say what an unfinished FILE has on disk"
        case .verify: "compare FILE with --checksum or --checksum-file"
        case .doctor: "find out how the server of URL behaves, and which -n to use"
        case .demo: "show everything on a server of its own, without a network"
        case .man: "print the manual page"
        case .completions: "print completions for bash, zsh or fish"
        case .help: "print the help of COMMAND, or all of it"
        }
    }
}
