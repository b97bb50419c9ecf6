import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// Broken netrc files are named with their line; what libcurl and wget read goes on working.
@Suite(.temporaryDirectory) struct NetrcTests {
    private static let login = "machine 127.0.0.1 login user password secret\n"

    private func server() throws -> OriginServer {
        try OriginServer(OriginResource("/f", size: 3000, behavior: .authRequired))
    }

    @Test(arguments: [
        (login + "machin h login a password b\n", 2, "a word that is no keyword"),
        (login + "machine h login a password correct horse\n", 2, "a word that is no keyword"),
        ("\u{FEFF}" + login, 1, "the file begins with a byte order mark"),
        (login + "\n# more\nmachine", 4, "'machine' has no value"),
        (login + "machine h login\nmachine i login a password b\n", 2, "'login' has no value"),
        (login + "machine h login a password #secret\n", 2, "'password' has no value"),
        (login + "machine h login a account", 2, "'account' has no value"),
        ("\n  login a password b\n" + login, 2, "'login' stands before any machine"),
        ("password b\n" + login, 1, "'password' stands before any machine"),
        (login + "machine h login a password \"b\n", 2, "a quote is not closed"),
        (login + "machine h login a password \"b\\\"\n", 2, "a quote is not closed"),
        ("macdef init\nmachine\n\"\n\n" + login + "x", 6, "a word that is no keyword"),
    ])
    func brokenOnesAreNamedBeforeAnythingIsFetched(_ text: String, _ line: Int, _ reason: String) async throws {
        let server = try server()
        try Program.write(text, to: "secrets")
        let commands = [[], ["doctor"], ["verify", "f", "--checksum-file"]]
        for command in commands {
            let words = ["--netrc-file", "secrets"] + command + [server.url(for: "/f")]
            let outcome = try await Program.run(words)
            #expect(outcome.status == .code(2), "\(outcome.errorText)")
            #expect(outcome.errorText.hasPrefix("haul: secrets:\(line): \(reason)"), "\(outcome.errorText)")
            #expect(outcome.errorText.filter { $0 == "\n" }.count == 1, "\(outcome.errorText)")
            // A word in a wrong place may be half of a password.
            #expect(!outcome.errorText.contains("horse") && !outcome.errorText.contains("secret\n"))
        }
        #expect(server.connectionsAccepted == 0)
        try Program.write(server.url(for: "/f") + "\n", to: "list")
        let batch = try await Program.run("--netrc-file", "secrets", "-i", "list")
        #expect(batch.status == .code(2) && batch.errorText.hasPrefix("haul: secrets:"), "\(batch.errorText)")
        #expect(server.connectionsAccepted == 0)
    }

    @Test(arguments: [
        "",
        "# machin\n \t# login\n",
        "machine h login a password b # machin\n",
        "machine h\n\tlogin\n a\n\tpassword\n  b\n\taccount c\n",
        "MACHINE h Login a PASSWORD b\n",
        "machine h port 80 login a password b force yes\n",
        "machine h login \"\" password \"b # \\\" c\"\n",
        "machine h login login password password\n",
        "machine h login a password b\"c\n",
        "macdef init\nlogin \"\nmachin\n\nmachine h login a password b\n",
        "machine h login a password b\r\n\r\nmacdef x\r\nmachin\r\n\r\n",
    ])
    func whatOthersReadIsRead(_ text: String) async throws {
        let server = try server()
        for (flags, name) in [(["--netrc-file", "secrets"], "secrets"), (["--netrc"], ".netrc")] {
            try Program.write(text + Self.login, to: name)
            let outcome = try await Program.run(["--force"] + flags + [server.url(for: "/f")])
            #expect(outcome.status == .code(0), "\(outcome.errorText)")
            #expect(!outcome.errorText.contains(name), "\(outcome.errorText)")
        }
    }

    @Test func aBrokenOneAtHomeIsAWarning() async throws {
        let server = try server()
        try Program.write(Self.login + "machine h login\n", to: ".netrc")
        let place = Program.file(".netrc")
        let outcome = try await Program.run("--netrc", server.url(for: "/f"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("\(place):2: 'login' has no value"), "\(outcome.errorText)")
        // Once for all files, also as an event.
        let urls = ["?a", "?b", "?c"].map { server.url(for: "/f") + $0 }
        let batch = try await Program.run(["--netrc", "--json"] + urls)
        #expect(batch.status == .code(0), "\(batch.errorText)")
        let events = batch.outputText.split(separator: "\n").filter { $0.contains(":2: 'login' has no value") }
        #expect(events.count == 1 && events[0].hasPrefix(#"{"event":"notice""#), "\(batch.outputText)")
        let doctor = try await Program.run("doctor", "--netrc", server.url(for: "/f"))
        #expect(doctor.status == .code(0), "\(doctor.errorText)")
        #expect(doctor.errorText.hasPrefix("haul: \(place):2: 'login' has no value"), "\(doctor.errorText)")
        // Nobody asked for it.
        let without = try await Program.run(server.url(for: "/f"))
        #expect(!without.errorText.contains(".netrc"), "\(without.errorText)")
    }

    @Test func theEntryForAllHostsStaysWithTheOriginHoweverItIsSpelled() async throws {
        let server = try OriginServer(OriginResource("/f", size: 2_000_003, behavior: .redirectCrossHost))
        try Program.write("DEFAULT login user password secret\n", to: ".netrc")
        let outcome = try await Program.run("--netrc", server.url(for: "/f"))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(server.requests.contains { $0.host == "127.0.0.1" && $0.field("Authorization") != nil })
        #expect(!server.requests.contains { $0.host == "localhost" && $0.field("Authorization") != nil })
    }
}
