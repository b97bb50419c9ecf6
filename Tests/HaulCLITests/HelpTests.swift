import Testing

@testable import HaulCLI

/// Help, manual page and completions are held by files in `Golden`; after a change that is meant, write them anew with
/// `HAUL_UPDATE_GOLDEN=1 swift test --filter HelpTests` and read the difference.
@Suite struct HelpTests {
    private static let texts = [
        "help-short.txt": HelpRenderer.short,
        "help-full.txt": HelpRenderer.full,
        "haul.1.txt": ManualRenderer.page,
        "completions-bash.txt": CompletionRenderer.script(for: .bash),
        "completions-zsh.txt": CompletionRenderer.script(for: .zsh),
        "completions-fish.txt": CompletionRenderer.script(for: .fish),
    ]

    @Test(arguments: texts.keys.sorted())
    func golden(_ name: String) throws {
        let text = try #require(Self.texts[name])
        if Platform.environment("HAUL_UPDATE_GOLDEN") == "1" { try GoldenFile.write(text, to: name) }
        #expect(try GoldenFile.read(name) == text)
    }

    @Test(arguments: ["help-short.txt", "help-full.txt"])
    func fitsEightyColumns(_ name: String) throws {
        for line in try #require(Self.texts[name]).split(separator: "\n") {
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
