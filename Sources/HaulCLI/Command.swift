/// A word that stands where an address would, and does something else than fetch.
enum Command: String, CaseIterable, Sendable {
    case status
    case verify
    case doctor
    case demo
    case man
    case completions

    /// What follows the command.
    var operand: String? {
        switch self {
        case .status, .verify: "FILE"
        case .doctor: "URL"
        case .completions: "SHELL"
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
        case .demo, .man, .completions: false
        }
    }

    /// One line for help, without a full stop.
    var summary: String {
        switch self {
        case .status: "say what an unfinished FILE has on disk"
        case .verify: "compare FILE with --checksum or --checksum-file"
        case .doctor: "find out how the server of URL behaves, and which -n to use"
        case .demo: "show everything on a server of its own, without a network"
        case .man: "print the manual page"
        case .completions: "print completions for bash, zsh or fish"
        }
    }
}
