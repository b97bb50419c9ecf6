import HaulTestSupport
import Testing

@testable import HaulCLI

/// Completions and manual page, in the shells and the formatter that they are for.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10))) struct CompletionTests {
    /// Runs a shell with the program on its path; `$0` of scripts is of no interest.
    private func shell(_ name: String, _ arguments: [String]) async throws -> ProcessRunner.Outcome {
        let place = HaulBinary.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let runner = try ProcessRunner(
            "/usr/bin/env", [name] + arguments,
            environment: [
                "PATH": place.joined(separator: "/") + ":/usr/local/bin:/usr/bin:/bin",
                "HOME": TemporaryDirectory.current,
            ],
            directory: TemporaryDirectory.current)
        return await runner.wait()
    }

    private func script(_ shell: String) async throws {
        let outcome = try await Program.run("completions", shell)
        #expect(outcome.status == .code(0))
        try Program.write(outcome.outputText, to: "script")
    }

    @Test(.requires("bash")) func bash() async throws {
        let printed = try await Program.run("completions", "bash")
        try Program.write(printed.outputText, to: "script")
        let asked = """
            set -eu; . ./script
            ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _haul; echo "${COMPREPLY[*]}"; }
            ask haul --metal; ask haul --progress ba; ask haul completions f; ask haul do; ask haul --adopt scr
            ask haul doctor --out; ask haul doctor --js; ask haul verify --checks; ask haul help ver
            """
        let outcome = try await shell("bash", ["--norc", "-c", asked])
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        let words = outcome.outputText.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(
            words == [
                "--metalink", "bar", "fish", "doctor", "script", "", "--json", "--checksum --checksum-file", "verify",
            ])
        #expect(outcome.errorText.isEmpty)
    }

    @Test(.requires("zsh")) func zsh() async throws {
        try await script("zsh")
        // `_arguments` works inside of a completion only: its place is taken by one that prints what it is given.
        let asked = """
            emulate -R zsh; autoload -Uz compinit; compinit -u -D -d ./dump
            _arguments() { print -rl -- "$@" }
            _message() { : }
            _describe() { : }
            source ./script; print loaded:${_comps[haul]}; _haul; print doctor:; words=(haul doctor --); _haul
            """
        let outcome = try await shell("zsh", ["-f", "-c", asked])
        #expect(outcome.errorText.isEmpty, "\(outcome.errorText)")
        #expect(outcome.outputText.contains("loaded:_haul"))
        let text = outcome.outputText
        for flag in FlagTable.all { #expect(text.contains("--" + flag.long)) }
        let own = try #require(text.split(separator: "doctor:").last)
        #expect(own.contains("--json") && !own.contains("--output"))
    }

    @Test(.requires("fish")) func fish() async throws {
        try await script("fish")
        let asked = """
            source ./script
            complete -C 'haul --metal'; complete -C 'haul --progress '; complete -C 'haul completions f'; complete -C 'haul doc'
            """
        let outcome = try await shell("fish", ["--no-config", "-c", asked])
        #expect(outcome.errorText.isEmpty, "\(outcome.errorText)")
        for word in ["--metalink", "bar", "plain", "fish", "doctor"] { #expect(outcome.outputText.contains(word)) }
        let all = try await shell("fish", ["--no-config", "-c", "source ./script; complete -C 'haul --'"])
        for flag in FlagTable.all { #expect(all.outputText.contains("--" + flag.long), "\(flag.long)") }
        let own = try await shell("fish", ["--no-config", "-c", "source ./script; complete -C 'haul doctor --'"])
        for flag in FlagTable.all {
            let isOffered = own.outputText.split(separator: "\n").contains { line in
                line.prefix { $0 != "\t" && $0 != "=" } == "--" + flag.long
            }
            #expect(isOffered == Command.doctor.offers(flag), "\(flag.long)")
        }
    }

    @Test(.requires("groff")) func manualPageFormats() async throws {
        let page = try await Program.run("man")
        #expect(page.status == .code(0))
        try Program.write(page.outputText, to: "haul.1")
        let outcome = try await shell("groff", ["-man", "-Tascii", "-ww", "-P-c", "haul.1"])
        #expect(outcome.status == .code(0) && outcome.errorText.isEmpty, "\(outcome.errorText)")
        // Bold letters are printed twice, with a step back between.
        var plain = ""
        for character in outcome.outputText {
            if character == "\u{8}" { plain.removeLast() } else { plain.append(character) }
        }
        #expect(plain.contains("--metalink") && plain.contains("SYNOPSIS"))
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips the test where a program is missing; under `CI=true` it runs, and fails.
    static func requires(_ program: String) -> Self {
        .enabled("\(program) is not installed") {
            ["/usr/bin/", "/bin/", "/usr/local/bin/"].contains { FileContents.exists($0 + program) }
                || Platform.environment("CI") == "true"
        }
    }
}
