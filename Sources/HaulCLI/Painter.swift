/// Writes lines around a live line that stays at the bottom.
struct Painter {
    private let terminal: Terminal
    private let standardOutput: Int32
    private let standardError: Int32
    /// The live line and how many columns it took when it was drawn last.
    private var shown: LiveLine?
    private var columns = 0
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

    /// Draws the live line, or takes it away.
    mutating func show(_ line: LiveLine?) {
        shown = line
        guard let line, !terminal.hasEscapes || Platform.isInForeground(standardError) else { return clear() }
        let text = terminal.renderer.bar(line, width: Platform.columns(standardError) ?? 80)
        let width = Printable.columns(text)
        let end =
            terminal.hasEscapes ? "\u{1B}[K" : String(repeating: " ", count: max(0, columns - width))
        _ = Platform.write("\r" + text + end, to: standardError)
        columns = width
    }

    /// Takes the live line off the terminal.
    mutating func clear() {
        guard columns > 0 else { return }
        let blank = terminal.hasEscapes ? "\r\u{1B}[K" : "\r" + String(repeating: " ", count: columns) + "\r"
        _ = Platform.write(blank, to: standardError)
        columns = 0
    }

    /// Writes a line for people above the live line.
    mutating func error(_ line: String) {
        let drawn = columns > 0
        clear()
        _ = Platform.write(line + "\n", to: standardError)
        if drawn { show(shown) }
    }

    /// Writes text for programs.
    mutating func output(_ text: String) {
        guard outputError == 0 else { return }
        // Both may be one terminal.
        let drawn = columns > 0 && Platform.isTerminal(standardOutput)
        if drawn { clear() }
        outputError = Platform.write(text, to: standardOutput)
        if drawn { show(shown) }
    }

    /// The status to exit with: output that was lost, other than by a reader that went away, is a failure.
    func status(_ status: ExitStatus) -> Int32 {
        guard outputError != 0, outputError != Platform.brokenPipe else { return status.code }
        let reason = Platform.message(outputError)
        _ = Platform.write("haul: can't write standard output: \(reason)\n", to: standardError)
        return status == .done ? ExitStatus.other.code : status.code
    }
}
