/// What standard error is, and what may be drawn on it.
struct Terminal: Sendable {
    /// Whether a line can be drawn over and over.
    let isLive: Bool
    /// Whether escape sequences work.
    let hasEscapes: Bool
    /// How to draw.
    let renderer: ProgressRenderer

    /// Looks at standard error and the environment.
    ///
    /// - Parameters:
    ///   - style: what the user wants.
    ///   - isTerminal: whether standard error is a terminal.
    ///   - environment: value of an environment variable.
    init(_ style: Arguments.Progress, isTerminal: Bool, environment: (String) -> String?) {
        let term = environment("TERM") ?? ""
        hasEscapes = isTerminal && term != "dumb" && !term.isEmpty
        switch style {
        case .auto: isLive = hasEscapes
        case .bar: isLive = true
        case .plain, .none: isLive = false
        }
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(environment).first { !$0.isEmpty } ?? ""
        let unicode = locale.lowercased().filter { $0 != "-" }.contains("utf8")
        let color = hasEscapes && (environment("NO_COLOR") ?? "").isEmpty
        renderer = ProgressRenderer(unicode: unicode, color: color)
    }
}
