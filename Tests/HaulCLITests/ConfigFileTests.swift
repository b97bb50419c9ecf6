import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

@testable import HaulCLI

/// The config file, as text and as the program reads it.
@Suite(.temporaryDirectory) struct ConfigFileTests {
    @Test func everyWayToWriteALine() throws {
        let text = """
            # comment
            connections 16
              retry=3

            user-agent = my agent # 1
            header X-A: b=c
            --insecure
            referer "  spaced  "
            """
        let arguments = try ConfigFile(path: "c", text: text).arguments()
        #expect(arguments.connections == 16 && arguments.retries == 3 && arguments.insecure)
        #expect(arguments.userAgent == "my agent # 1")
        #expect(arguments.headers == ["X-A: b=c"])
        #expect(arguments.referer == "  spaced  ")
        #expect(arguments.spellings.isEmpty)
        #expect(try ArgumentParser.parse(["-n2"], over: arguments).connections == 2)
    }

    @Test func byteOrderMarkIsNoPartOfTheFirstLine() throws {
        #expect(try ConfigFile(path: "c", text: "\u{FEFF}connections 16\r\n").arguments().connections == 16)
        #expect(try ConfigFile(path: "c", text: "\u{FEFF}# comment\nretry 3").arguments().retries == 3)
    }

    @Test(arguments: [
        ("n 16", "c:1: unknown option 'n': write 'connections N'"),
        ("-n16", "c:1: unknown option '-n16': write 'connections N'"),
        ("-q", "c:1: unknown option '-q': write 'quiet'"),
        ("-?", "c:1: unknown option '-?': haul --help lists all options"),
        ("connectons 16", "c:1: unknown option 'connectons': did you mean 'connections'?"),
        ("\n\nconnections", "c:3: option 'connections' needs a value: N"),
        (
            "connections=many",
            "c:1: bad value 'many' for 'connections': auto, or a whole number from 1 to 256, is needed"
        ),
        ("insecure=yes", "c:1: option 'insecure' takes no value"),
        ("help", "c:1: option 'help' can't be in a config file: give it on the command line"),
    ])
    func mistake(_ text: String, _ message: String) {
        #expect(throws: UsageError(message)) { try ConfigFile(path: "c", text: text).arguments() }
    }

    @Test(
        arguments: [
            (["XDG_CONFIG_HOME": "/x", "HOME": "/h"], "/x/haul/config"),
            (["XDG_CONFIG_HOME": "relative", "HOME": "/h"], "/h/.config/haul/config"),
            (["HOME": "/h"], "/h/.config/haul/config"),
            ([:], nil),
        ] as [([String: String], String?)])
    func place(_ environment: [String: String], _ path: String?) {
        #expect(ConfigFile.path { environment[$0] } == path)
    }

    @Test func programReadsIt() async throws {
        let server = try OriginServer(OriginResource("/f", size: 1000))
        mkdir(Program.file("haul"), 0o755)
        try Program.write("user-agent from/config\nquiet\n", to: "haul/config")
        let environment = ["XDG_CONFIG_HOME": TemporaryDirectory.current]
        let first = try await Program.run([server.url(for: "/f")], environment: environment)
        #expect(first.status == .code(0) && first.errors.isEmpty)
        #expect(server.requests.first?.field("User-Agent") == "from/config")
        server.forgetRequests()
        _ = try await Program.run(["--no-config", "-o", "g", server.url(for: "/f")], environment: environment)
        #expect(server.requests.first?.field("User-Agent")?.hasPrefix("haul/") == true)
        try Program.write("user-agent a\nnonsense 1\n", to: "haul/config")
        let broken = try await Program.run([server.url(for: "/f")], environment: environment)
        #expect(broken.status == .code(2))
        #expect(broken.errorText.hasPrefix("haul: \(Program.file("haul/config")):2: unknown option 'nonsense'"))
        #expect(try await Program.run(["--help"], environment: environment).status == .code(0))
        try Program.write(String(repeating: "#", count: 2 << 20), to: "haul/config")
        #expect(try await Program.run([server.url(for: "/f")], environment: environment).status == .code(2))
    }
}
