import Testing

@testable import HaulCLI

/// Help, manual page and completions are held by files in `Golden`; after a change that is meant, write them anew with
/// `HAUL_UPDATE_GOLDEN=1 swift test --filter HelpTests` and read the difference.
@Suite struct HelpTests {
    @Test(
        arguments: [
            ("help-short.txt", { HelpRenderer.short }),
            ("help-full.txt", { HelpRenderer.full }),
            ("haul.1.txt", { ManualRenderer.page }),
            ("completions-bash.txt", { CompletionRenderer.script(for: .bash) }),
            ("completions-zsh.txt", { CompletionRenderer.script(for: .zsh) }),
            ("completions-fish.txt", { CompletionRenderer.script(for: .fish) }),
        ] as [(String, @Sendable () -> String)])
    func golden(_ name: String, _ text: @Sendable () -> String) throws {
        let text = text()
        if Platform.environment("HAUL_UPDATE_GOLDEN") == "1" { try GoldenFile.write(text, to: name) }
        #expect(try GoldenFile.read(name) == text, "\(name)")
    }

    @Test(arguments: [HelpRenderer.short, HelpRenderer.full])
    func fitsEightyColumns(_ text: String) {
        for line in text.split(separator: "\n") {
            #expect(line.count <= 80)
            #expect(!line.hasSuffix(" "))
        }
    }

    @Test func namesEveryOption() {
        for flag in FlagTable.all {
            #expect(HelpRenderer.full.contains("--" + flag.long))
            #expect(CompletionRenderer.script(for: .bash).contains("--" + flag.long))
            #expect(CompletionRenderer.script(for: .zsh).contains("--" + flag.long))
            #expect(CompletionRenderer.script(for: .fish).contains("-l " + flag.long))
        }
    }
}
