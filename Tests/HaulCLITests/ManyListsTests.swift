import Glibc
import Haul
import HaulOrigin
import HaulTestSupport
import Testing

@testable import HaulCLI

/// Lists, by the built program: several of them, where their files go, and what is wrong with their lines.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10))) struct ManyListsTests {
    private func server(_ count: Int = 3) throws -> OriginServer {
        try OriginServer(
            OriginConfiguration((0..<count).map { OriginResource("/f\($0)", size: 3000, seed: UInt64($0)) }))
    }

    @Test(arguments: [["-i", "one", "-i", "two"], ["-ione", "--input-file=two"]])
    func severalAreReadInOrder(_ words: [String]) async throws {
        let server = try server()
        try Program.write("\(server.url(for: "/f0"))\n out=x", to: "one")
        try Program.write("\n\(server.url(for: "/f1"))\n\(server.url(for: "/none"))\n", to: "two")
        let outcome = try await Program.run(["-j", "1"] + words + [server.url(for: "/f2")])
        #expect(outcome.status == .code(4), "\(outcome.errorText)")
        #expect(server.requests.map(\.request.target) == ["/f2", "/f0", "/f1", "/none"])
        #expect(FileContents.exists(Program.file("x")) && FileContents.exists(Program.file("f1")))
        #expect(outcome.errorText.contains("haul: 3 of 4 files done, 1 failed; "), "\(outcome.errorText)")
    }

    @Test func linesAreNamedInTheListTheyAreIn() async throws {
        try Program.write("ftp://h/a\n", to: "one")
        try Program.write("#\nftp://h/b\n", to: "two")
        let outcome = try await Program.run("-i", "one", "-i", "two")
        #expect(outcome.status == .code(2))
        #expect(outcome.errorText.contains("haul: one:1: ") && outcome.errorText.contains("haul: two:2: "))
        let missing = try await Program.run("-i", "one", "-i", "none")
        #expect(missing.status == .code(2))
        #expect(missing.errorText == "haul: can't read 'none': No such file or directory: check the path\n")
    }

    @Test func severalMetalinksAreReadInOrder() async throws {
        let server = try server()
        for index in 0..<2 {
            let url = server.url(for: "/f\(index)")
            try Program.write(
                "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='m\(index)'><url>\(url)</url></file>"
                    + "</metalink>", to: "\(index).meta4")
        }
        let outcome = try await Program.run("-j1", "--metalink", "0.meta4", "--metalink=1.meta4")
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(outcome.errorText.contains("haul: 2 of 2 files done; "), "\(outcome.errorText)")
        #expect(FileContents.exists(Program.file("m0")) && FileContents.exists(Program.file("m1")))
    }

    @Test(arguments: [["-i", "list"], ["URL", "URL?"], ["--metalink", "list"]])
    func aMissingDirectoryIsToldOnce(_ words: [String]) async throws {
        let server = try server()
        try Program.write((0..<3).map { server.url(for: "/f\($0)") }.joined(separator: "\n"), to: "list")
        let words = words.map { $0.hasPrefix("URL") ? server.url(for: "/f0") + $0.dropFirst(3) : $0 }
        let outcome = try await Program.run(["-d", "none"] + words)
        #expect(outcome.status == .code(6))
        #expect(outcome.errorText == "haul: none: there is no such directory: check the path\n")
        #expect(server.connectionsAccepted == 0)
        let file = try await Program.run(["--json", "-d", "list"] + words)
        #expect(file.status == .code(6))
        #expect(file.errorText == "haul: list: is not a directory: check the path\n")
        #expect(
            file.outputText
                == #"{"event":"error","code":"fileSystem","message":"list: is not a directory: check the path","#
                + #""exit":6}"# + "\n")
    }

    @Test func indentedAddressesAreNoOptions() async throws {
        let server = try server()
        let urls = (0..<3).map { server.url(for: "/f\($0)") }
        try Program.write("\(urls[0])\n  \(urls[1])?a=b\n  out=x\n\(urls[2])\n", to: "list")
        let outcome = try await Program.run("-i", "list")
        #expect(outcome.status == .code(2), "\(outcome.errorText)")
        #expect(
            outcome.errorText.contains(
                "haul: list:2: white space before an address makes it an option of line 1: remove it, or write a mirror "
                    + "behind a tab on the line of the file's first address\n"), "\(outcome.errorText)")
        // What belongs to which of them is not known.
        #expect(server.requests.map(\.request.target) == ["/f2"])
        try Program.write(" # copied\n   \(urls[0])\n     out=y\n\n   \(urls[1])\n\(urls[2])", to: "all")
        let all = try await Program.run("-i", "all")
        #expect(all.status == .code(0), "\(all.errorText)")
        #expect(FileContents.names(in: TemporaryDirectory.current).filter { !$0.hasPrefix(".") }.contains("y"))
        #expect(FileContents.exists(Program.file("f1")))
    }

    /// Nobody listens to files then, and what they left is counted all the same; equal requests share it.
    @Test(arguments: [["-i", "list"], ["URLS"], ["URL"]])
    func quietRunsSayWhatIsKept(_ words: [String]) async throws {
        let (text, left) = try await interrupt(["-q"], words)
        #expect(text == "haul: interrupted, \(ByteCount.text(left)) kept: the same command goes on from there\n")
    }

    /// The last snapshot of a file that a signal ended is a moment older than what it left.
    @Test func theSummaryCountsAllThatIsKept() async throws {
        let (text, left) = try await interrupt(["--progress", "none"], ["-i", "list"])
        #expect(text.contains("haul: interrupted, \(ByteCount.text(left)) kept: "), "\(text)")
        #expect(text.contains(" interrupted; \(ByteCount.text(left)) in "), "\(text)")
    }

    /// Sends SIGINT under way.
    ///
    /// - Returns: what the program said, and how many bytes it left.
    private func interrupt(_ options: [String], _ words: [String]) async throws -> (text: String, left: Int64) {
        var configuration = OriginConfiguration((0..<3).map { OriginResource("/f\($0)", size: 8 << 20) })
        configuration.totalRate = 2 << 20
        let server = try OriginServer(configuration)
        let urls = (0..<3).map { server.url(for: "/f\($0)") }
        try Program.write((urls + urls).joined(separator: "\n"), to: "list")
        let given = words == ["URLS"] ? urls : words == ["URL"] ? [urls[0]] : words
        let runner = try ProcessRunner(
            HaulBinary.path, options + ["-n", "2"] + given, environment: ["no_proxy": "*"],
            directory: TemporaryDirectory.current)
        let files = given.count == 1 ? ["f0"] : ["f0", "f1", "f2"]
        var finished: Int64 = 0
        while finished < 1 << 20 {
            try #require(!runner.hasEnded)
            try await Task.sleep(for: .milliseconds(20))
            finished = files.reduce(0) { $0 + kept($1) }
        }
        runner.signal(SIGINT)
        let outcome = await runner.wait()
        #expect(outcome.status == .code(130))
        return (outcome.errorText, files.reduce(0) { $0 + kept($1) })
    }

    private func kept(_ name: String) -> Int64 {
        (try? Downloader().status(of: Program.file(name))?.finished) ?? 0
    }
}
