/// Writes lines around a block of live lines that stays at the bottom.
struct Painter {
    private let terminal: Terminal
    private let standardOutput: Int32
    private let standardError: Int32
    /// What is shown, and whether it stands on the terminal.
    private var shown: LiveDisplay?
    private var isDrawn = false
    /// Columns of the line on a terminal without escape sequences.
    private var drawn = 0
    /// Why standard output can't be written; nothing more is written there.
    private var outputError: Int32 = 0

    /// Makes a painter with nothing drawn.
    ///
    /// - Parameters:
    ///   - terminal: what may be drawn.
    ///   - output: where text for programs goes.
    ///   - error: where text for people goes.
    init(terminal: Terminal, output: Int32, error: Int32) {
        self.terminal = terminal
        standardOutput = output
        standardError = error
    }

    /// Draws the live block, or takes it away.
    ///
    /// The cursor rests where the block begins. Whatever a terminal does with long lines when its size changes, that line
    /// stays the cursor's, and all that is below it is the block's.
    mutating func show(_ display: LiveDisplay?) {
        shown = display
        guard let display else { return clear() }
        if terminal.hasEscapes, !Platform.isInForeground(standardError) {
            // It was erased when the program was stopped, and the terminal is another's now.
            isDrawn = false
            return
        }
        let size = Platform.size(standardError) ?? (80, 24)
        let lines = terminal.renderer.block(
            display, width: size.columns, height: terminal.hasEscapes ? size.rows : 1)
        let text: String
        if terminal.hasEscapes {
            let back = lines.count > 1 ? "\r\u{1B}[\(lines.count - 1)A" : "\r"
            // A terminal that is narrower already, and says so later, must not make more rows of them.
            text = "\r" + Self.cutsLines + lines.joined(separator: "\u{1B}[K\n") + "\u{1B}[J" + Self.wrapsLines + back
        } else {
            let width = Printable.columns(lines.first ?? "")
            text = "\r" + (lines.first ?? "") + String(repeating: " ", count: max(0, drawn - width))
            drawn = width
        }
        _ = Platform.write(text, to: standardError)
        isDrawn = true
    }

    /// Takes the live block off the terminal.
    mutating func clear() {
        guard isDrawn else { return }
        let blank = terminal.hasEscapes ? Self.erasing : "\r" + String(repeating: " ", count: drawn) + "\r"
        _ = Platform.write(blank, to: standardError)
        isDrawn = false
        drawn = 0
    }

    /// Takes a live block off a terminal with escape sequences, whoever drew it.
    static let erasing = "\r\u{1B}[J"

    /// Ends and begins the wrapping of lines (DECAWM).
    private static let (cutsLines, wrapsLines) = ("\u{1B}[?7l", "\u{1B}[?7h")

    /// Writes lines for people above the live block.
    mutating func error(_ lines: String) {
        let wasDrawn = isDrawn
        clear()
        _ = Platform.write(lines, to: standardError)
        if wasDrawn { show(shown) }
    }

    /// Writes text for programs.
    mutating func output(_ text: String) {
        guard outputError == 0 else { return }
        // Both may be one terminal.
        let wasDrawn = isDrawn && Platform.isTerminal(standardOutput)
        if wasDrawn { clear() }
        outputError = Platform.write(text, to: standardOutput)
        if wasDrawn { show(shown) }
    }

    /// The status to exit with: output that was lost, other than by a reader that went away, is a failure.
    func status(_ status: ExitStatus) -> Int32 {
        guard outputError != 0, outputError != Platform.brokenPipe else { return status.code }
        let reason = Platform.message(outputError)
        _ = Platform.write("haul: can't write standard output: \(reason)\n", to: standardError)
        return status == .done ? ExitStatus.other.code : status.code
    }
}
