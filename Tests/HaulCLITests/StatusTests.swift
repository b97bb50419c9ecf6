import HaulOrigin
import HaulTestSupport
import Testing

/// `haul status`.
@Suite(.temporaryDirectory) struct StatusTests {
    @Test func saysWhatIsThere() async throws {
        var configuration = OriginConfiguration([OriginResource("/dir/f", size: 16 << 20)])
        configuration.totalRate = 4 << 20
        let server = try OriginServer(configuration)
        _ = try await Program.run("--max-time", "1.5", "-n4", server.url(for: "/dir/f?token=secret"))
        for name in ["f", "f.haul", "f.haul-journal"] {
            let outcome = try await Program.run("status", name)
            #expect(outcome.status == .code(0) && outcome.errors.isEmpty)
            let text = outcome.outputText
            #expect(text.hasPrefix("f\n"))
            #expect(text.contains(" MiB of 16.0 MiB (") && text.contains(" %)"))
            #expect(text.contains("from            http://127.0.0.1:\(server.port)/dir/f\n"))
            #expect(text.contains("entity tag      \"v1\"\n"))
            #expect(text.contains("range           0-") && !text.contains("secret"))
        }
        let json = try await Program.run("status", "--json", "f")
        #expect(json.outputText.hasPrefix(#"{"path":"f","partial":true,"total":16777216,"finished":"#))
        #expect(json.outputText.contains(#""ranges":["0-"#))
    }

    @Test func finishedMissingAndDamaged() async throws {
        try Program.write("x", to: "done")
        let done = try await Program.run("status", "done")
        #expect(done.status == .code(0) && done.outputText.hasPrefix("done: finished"))
        let none = try await Program.run("status", "none")
        #expect(none.status == .code(6))
        #expect(none.errorText == "haul: none: there is no unfinished download: check the name, or --temp-directory\n")
        let object = try await Program.run("status", "--json", "none")
        #expect(object.status == .code(6) && object.errorText == none.errorText)
        let message = none.errorText.dropFirst("haul: ".count).dropLast()
        #expect(object.outputText == "{\"path\":\"none\",\"partial\":false,\"message\":\"\(message)\",\"exit\":6}\n")
        try Program.write("x", to: "f.haul")
        let alone = try await Program.run("status", "f")
        #expect(alone.status == .code(0) && alone.outputText.contains("there is no journal"))
        try Program.write("nonsense", to: "f.haul-journal")
        let damaged = try await Program.run("status", "f")
        #expect(damaged.status == .code(0) && damaged.outputText.contains("notice"))
        #expect(try await Program.run("status").status == .code(2))
    }
}
