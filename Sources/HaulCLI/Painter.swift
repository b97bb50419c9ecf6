/// Writes lines around a block of live lines that stays at the bottom.
struct Painter {
    private let terminal: Terminal
    private let standardOutput: Int32
    private let standardError: Int32
    /// What is shown, and the columns that its lines took when they were drawn last.
    private var shown: LiveDisplay?
    private var drawn: [Int] = []
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
    mutating func show(_ display: LiveDisplay?) {
        shown = display
        guard let display, !terminal.hasEscapes || Platform.isInForeground(standardError) else { return clear() }
        let size = Platform.size(standardError) ?? (80, 24)
        let lines = terminal.renderer.block(
            display, width: size.columns, height: terminal.hasEscapes ? size.rows : 1)
        let widths = lines.map { Printable.columns(MapRenderer.withoutColor($0)) }
        let text: String
        if terminal.hasEscapes {
            let end = "\u{1B}[K"
            text = start(width: size.columns) + lines.map { $0 + end }.joined(separator: "\n") + "\u{1B}[J"
        } else {
            let rest = max(0, (drawn.first ?? 0) - (widths.first ?? 0))
            text = "\r" + (lines.first ?? "") + String(repeating: " ", count: rest)
        }
        _ = Platform.write(text, to: standardError)
        drawn = widths
    }

    /// Takes the live block off the terminal.
    mutating func clear() {
        guard !drawn.isEmpty else { return }
        let blank: String
        if terminal.hasEscapes {
            blank = start(width: Platform.size(standardError)?.columns ?? 80) + "\u{1B}[J"
        } else {
            blank = "\r" + String(repeating: " ", count: drawn.first ?? 0) + "\r"
        }
        _ = Platform.write(blank, to: standardError)
        drawn = []
    }

    /// Writes lines for people above the live block.
    mutating func error(_ lines: String) {
        let wasDrawn = !drawn.isEmpty
        clear()
        _ = Platform.write(lines, to: standardError)
        if wasDrawn { show(shown) }
    }

    /// Writes text for programs.
    mutating func output(_ text: String) {
        guard outputError == 0 else { return }
        // Both may be one terminal.
        let wasDrawn = !drawn.isEmpty && Platform.isTerminal(standardOutput)
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

    /// Moves to the start of the block.
    ///
    /// A terminal that was made narrower since has wrapped the lines.
    private func start(width: Int) -> String {
        let rows = drawn.reduce(0) { $0 + max(1, ($1 + width - 1) / max(1, width)) }
        return rows > 1 ? "\r\u{1B}[\(rows - 1)A" : "\r"
    }
}
