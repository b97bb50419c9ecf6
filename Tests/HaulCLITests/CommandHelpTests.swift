import HaulTestSupport
import Testing

@testable import HaulCLI

/// What a command says of itself.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10))) struct CommandHelpTests {
    @Test(arguments: Command.allCases) func helpOfACommand(_ command: Command) async throws {
        let outcome = try await Program.run(command.rawValue, "--help")
        #expect(outcome.status == .code(0) && outcome.errorText.isEmpty)
        let lines = outcome.outputText.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasPrefix("Usage: haul \(command.rawValue)") })
        #expect(lines.allSatisfy { $0.count <= 80 })
        for flag in FlagTable.all {
            let isListed = lines.contains { $0.hasPrefix("  " + flag.usage) }
            #expect(isListed == command.accepts(flag), "\(flag.long)")
        }
        for words in [[command.rawValue, "-h"], ["--help", command.rawValue], ["help", command.rawValue]] {
            let same = try await Program.run(words)
            #expect(same.status == .code(0) && same.outputText == outcome.outputText, "\(words)")
        }
    }

    @Test func helpWithoutACommandIsAllOfIt() async throws {
        let outcome = try await Program.run("help")
        #expect(outcome.status == .code(0))
        #expect(outcome.outputText == HelpRenderer.full)
    }

    @Test func helpOfNoCommandNamesThem() async throws {
        let outcome = try await Program.run("help", "fetch")
        #expect(outcome.status == .code(2))
        let known = "status, verify, doctor, demo, man, completions, help"
        #expect(outcome.errorText == "haul: no help for 'fetch', which is no command: use one of \(known)\n")
    }
}
