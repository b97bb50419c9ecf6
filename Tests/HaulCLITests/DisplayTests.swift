import HaulOrigin
import HaulTestSupport
import Testing

@testable import HaulCLI

/// What the built program draws on a terminal.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10))) struct DisplayTests {
    private static let names = (1...8).map { "model-0000\($0)-of-00030.safetensors" }

    /// A slow origin of eight files, and a program that fetches them.
    private func start(
        columns: Int, rows: Int, isJob: Bool = false
    ) throws -> (server: OriginServer, terminal: PseudoTerminal, process: ProcessRunner) {
        var configuration = OriginConfiguration(Self.names.map { OriginResource("/" + $0, size: 8 << 20) })
        configuration.totalRate = 2 << 20
        let server = try OriginServer(configuration)
        let terminal = try PseudoTerminal(columns: columns, rows: rows)
        let process = try terminal.start(
            HaulBinary.path, ["-n", "2", "-j", "8"] + Self.names.map { server.url(for: "/" + $0) },
            environment: ["no_proxy": "*", "TERM": "xterm", "NO_COLOR": "1", "LC_ALL": "C.UTF-8"],
            directory: TemporaryDirectory.current, isJob: isJob)
        return (server, terminal, process)
    }

    /// The blocks drawn so far, each as its lines, with what stands before the first and behind the last.
    private func blocks(_ text: String) -> [(lines: [String], back: String)] {
        text.split(separator: "\u{1B}[?7l").dropFirst().compactMap { part in
            guard let end = part.firstRange(of: "\u{1B}[J\u{1B}[?7h") else { return nil }
            let lines = part[..<end.lowerBound].split(separator: "\u{1B}[K\r\n").map(String.init)
            return (lines, String(part[end.upperBound...]))
        }
    }

    /// Waits for a block that satisfies a condition.
    private func block(
        of terminal: PseudoTerminal, _ process: ProcessRunner, where isWanted: ([String]) -> Bool
    ) async throws -> (lines: [String], back: String) {
        while true {
            if let block = blocks(terminal.drawn).last(where: { isWanted($0.lines) }) { return block }
            try #require(!process.hasEnded, "\(terminal.drawn)")
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func isDownloading(_ lines: [String]) -> Bool { lines.count == 9 && lines.allSatisfy { $0.contains("/s") } }

    @Test(arguments: [40, 80, 120]) func longNamesDiffer(_ columns: Int) async throws {
        let (server, terminal, process) = try start(columns: columns, rows: 24)
        defer { withExtendedLifetime(server) {} }
        let (lines, _) = try await block(of: terminal, process, where: isDownloading)
        process.signal(9)
        _ = await process.wait()
        let names = lines.dropLast().map { $0.split(separator: "  ")[0] }
        #expect(Set(names).count == 8, "\(names)")
        for (index, name) in names.enumerated() {
            #expect(name.hasPrefix("mo") && name.hasSuffix("s") && name.contains("\(index + 1)"), "\(name)")
        }
        #expect(lines.allSatisfy { Printable.columns($0) < columns - 2 })
    }

    /// The cursor rests at the block's first line: whatever the terminal wraps, all below is the block's.
    @Test func anotherSizeLosesNothingAbove() async throws {
        let (server, terminal, process) = try start(columns: 80, rows: 24)
        defer { withExtendedLifetime(server) {} }
        let wide = try await block(of: terminal, process, where: isDownloading)
        #expect(wide.back.hasPrefix("\r\u{1B}[8A"), "\(wide.back.debugDescription)")
        terminal.resize(columns: 40, rows: 24)
        let narrow = try await block(of: terminal, process) { lines in
            isDownloading(lines) && lines.allSatisfy { Printable.columns($0) < 38 }
        }
        #expect(narrow.back.hasPrefix("\r\u{1B}[8A"), "\(narrow.back.debugDescription)")
        terminal.resize(columns: 80, rows: 5)
        // The first blocks were of few lines, too: not all had begun.
        let low = try await block(of: terminal, process) { $0.count == 4 && $0.last?.contains("under way") == true }
        #expect(low.lines.last?.contains("5 more under way") == true, "\(low.lines)")
        let drawn = terminal.drawn
        process.signal(9)
        _ = await process.wait()
        // Up only to where it was drawn from, and never from an older width.
        let ups = drawn.split(separator: "\u{1B}[").filter { $0.prefix { $0.isNumber }.count > 0 && $0.contains("A") }
            .compactMap { $0.split(separator: "A").first.flatMap { Int($0) } }
        #expect(ups.allSatisfy { $0 <= 8 }, "\(ups)")
    }

    /// The shell's prompt finds a clean terminal when ^Z stops the program, which goes on below it.
    @Test func suspensionTakesTheBlockAway() async throws {
        let (server, terminal, process) = try start(columns: 80, rows: 24, isJob: true)
        defer { withExtendedLifetime(server) {} }
        _ = try await block(of: terminal, process, where: isDownloading)
        terminal.type("\u{1A}")
        while !terminal.drawn.contains("left 148") {
            try #require(!process.hasEnded)
            try await Task.sleep(for: .milliseconds(10))
        }
        let start = try #require(terminal.drawn.firstRange(of: "left 148")?.lowerBound)
        let before = terminal.drawn[..<start]
        #expect(before.hasSuffix("\r\u{1B}[J"), "\(before.suffix(200).debugDescription)")
        // It draws again, and is over when it is told so.
        while blocks(String(terminal.drawn[start...])).isEmpty {
            try #require(!process.hasEnded)
            try await Task.sleep(for: .milliseconds(10))
        }
        terminal.type("\u{03}")
        _ = await process.wait()
        while !terminal.isLeft { try await Task.sleep(for: .milliseconds(10)) }
        #expect(terminal.drawn.contains("left 130"), "\(terminal.drawn.suffix(400).debugDescription)")
    }

    /// The shell's prompt finds a clean terminal.
    @Test func stoppingTakesTheBlockAway() async throws {
        let (server, terminal, process) = try start(columns: 80, rows: 24)
        defer { withExtendedLifetime(server) {} }
        _ = try await block(of: terminal, process, where: isDownloading)
        terminal.type("\u{03}")
        let outcome = await process.wait()
        #expect(outcome.status == .code(130))
        while !terminal.isLeft { try await Task.sleep(for: .milliseconds(10)) }
        let parts = terminal.drawn.split(separator: "\u{1B}[J")
        // On a busy machine it may end at once, without what is kept.
        #expect(parts.contains { $0.hasPrefix("haul: interrupted") }, "\(terminal.drawn.debugDescription)")
        #expect(terminal.drawn.hasSuffix("\r\n") || terminal.drawn.hasSuffix("\u{1B}[J"))
    }
}
