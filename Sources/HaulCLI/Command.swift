/// A word that stands where an address would, and does something else than fetch.
enum Command: String, CaseIterable, Sendable {
    case demo
    case man
    case completions

    /// What follows the command.
    var operand: String? { self == .completions ? "SHELL" : nil }

    /// One line for help, without a full stop.
    var summary: String {
        switch self {
        case .demo: "show everything on a server of its own, without a network"
        case .man: "print the manual page"
        case .completions: "print completions for bash, zsh or fish"
        }
    }
}
