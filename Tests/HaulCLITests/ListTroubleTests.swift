import HaulOrigin
import HaulTestSupport
import Testing

/// Programs are told what people are told about lists: each message is an event too.
@Suite(.temporaryDirectory) struct ListTroubleTests {
    private func events(_ outcome: ProcessRunner.Outcome, _ name: String) -> [Substring] {
        outcome.outputText.split(separator: "\n").filter { $0.hasPrefix(#"{"event":"\#(name)""#) }
    }

    @Test func brokenLinesAreEvents() async throws {
        let server = try OriginServer(OriginResource("/f", size: 3000))
        let url = server.url(for: "/f")
        try Program.write("ftp://h/x\n\(url)\n  sum=3\n  no option\n\(url)\n", to: "list")
        let outcome = try await Program.run("--json", "-i", "list")
        #expect(outcome.status == .code(2), "\(outcome.errorText)")
        let errors = events(outcome, "error")
        #expect(errors.count == 2, "\(outcome.outputText)")
        for (event, line) in zip(errors, [1, 4]) {
            #expect(
                event.hasPrefix(#"{"event":"error","code":"invalidRequest","message":"list:\#(line): "#), "\(event)")
            #expect(event.hasSuffix(#","exit":2}"#), "\(event)")
        }
        let notices = events(outcome, "notice")
        #expect(notices.count == 1, "\(outcome.outputText)")
        #expect(notices.first?.hasPrefix(#"{"event":"notice","message":"list:3: unknown option 'sum'"#) == true)
        #expect(events(outcome, "done").count == 1)
        // People are told the same.
        for text in ["haul: list:1: ", "haul: list:3: ", "haul: list:4: "] {
            #expect(outcome.errorText.contains(text), "\(outcome.errorText)")
        }
    }

    @Test func whatIsNoListIsAnEvent() async throws {
        for (path, message) in [
            ("missing", "can't read 'missing'"), (".", "can't read '.': it is a directory"), ("/dev/zero", "no end"),
        ] {
            let outcome = try await Program.run("--json", "-i", path)
            #expect(outcome.status == .code(2), "\(outcome.errorText)")
            #expect(events(outcome, "error").first?.contains(message) == true, "\(outcome.outputText)")
        }
    }

    @Test func brokenMetalinksAreEvents() async throws {
        let text = "<metalink><file name='a'><url>ftp://h/a</url></file>\n<file name='b'>"
        try Program.write(text, to: "m.meta4")
        let outcome = try await Program.run("--json", "--metalink", "m.meta4")
        #expect(outcome.status == .code(2), "\(outcome.errorText)")
        let errors = events(outcome, "error")
        #expect(errors.count == 2, "\(outcome.outputText)")
        #expect(errors.allSatisfy { $0.hasPrefix(#"{"event":"error","code":"invalidRequest","message":"m.meta4:"#) })
    }

    @Test(arguments: [["-x", "ftp://proxy:1"], ["--resolve", "host:80"], ["--key", "list"]])
    func optionsThatNoLineCanUseAreUsageErrors(_ words: [String]) async throws {
        try Program.write("http://127.0.0.1:9/a\nhttp://127.0.0.1:9/b\n", to: "list")
        let outcome = try await Program.run(words + ["-i", "list"])
        #expect(outcome.status == .code(2), "\(outcome.errorText)")
        #expect(outcome.errorText.filter { $0 == "\n" }.count == 1, "\(outcome.errorText)")
        #expect(outcome.errorText.contains(words[0] == "-x" ? "--proxy" : words[0]), "\(outcome.errorText)")
    }
}
