import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// Files of one name that are bound for different directories, and whose partials are in one.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10))) struct TemporaryNameTests {
    private static let resources = [
        OriginResource("/a/big.bin", size: 8 << 20, seed: 1), OriginResource("/b/big.bin", size: 8 << 20, seed: 2),
    ]

    /// An origin that takes four seconds for a file, and the directories `a`, `b` and `t`.
    private func server() throws -> OriginServer {
        for name in ["a", "b", "t"] { mkdir(Program.file(name), 0o755) }
        var configuration = OriginConfiguration(Self.resources)
        configuration.totalRate = 2 << 20
        return try OriginServer(configuration)
    }

    private func words(_ index: Int, _ server: OriginServer) -> [String] {
        ["--temp-directory", "t", "-n", "2", "-d", ["a", "b"][index], server.url(for: Self.resources[index].path)]
    }

    private func expectBoth() {
        for (resource, name) in zip(Self.resources, ["a/big.bin", "b/big.bin"]) {
            #expect(FileContents.difference(of: Program.file(name), from: resource) == nil, "\(name)")
        }
        #expect(FileContents.names(in: Program.file("t")).isEmpty)
    }

    @Test func bothAreResumed() async throws {
        let server = try server()
        for index in 0..<2 {
            let outcome = try await Program.run(words(index, server) + ["--max-time", "1.5"])
            #expect(outcome.status == .code(3), "\(outcome.errorText)")
        }
        let names = FileContents.names(in: Program.file("t"))
        #expect(names.count == 4 && names.contains("big.bin.haul") && names.contains("big.bin.haul-journal"))
        #expect(names.contains { $0.hasPrefix("big.bin~") && $0.hasSuffix(".haul") }, "\(names)")
        // However the destination is spelled, and that of nobody has none.
        for path in ["a/big.bin", Program.file("b/../b/big.bin")] {
            let status = try await Program.run("status", "--json", "--temp-directory", "t", path)
            #expect(status.status == .code(0) && status.outputText.contains(#""total":8388608"#), "\(status.errorText)")
        }
        #expect(try await Program.run("status", "--temp-directory", "t", "big.bin").status == .code(6))
        server.limit()
        for index in [1, 0] {
            let outcome = try await Program.run(["--json"] + words(index, server))
            #expect(outcome.status == .code(0), "\(outcome.errorText)")
            #expect(!outcome.outputText.contains(#""resumed":0"#))
        }
        expectBoth()
    }

    @Test func bothAreFetchedAtOnce() async throws {
        let server = try server()
        let first = try ProcessRunner(
            HaulBinary.path, ["--json"] + words(0, server), environment: ["no_proxy": "*"],
            directory: TemporaryDirectory.current)
        while !FileContents.exists(Program.file("t/big.bin.haul-journal")) {
            try #require(!first.hasEnded)
            try await Task.sleep(for: .milliseconds(10))
        }
        // The same file twice is another matter.
        let same = try await Program.run(words(0, server))
        #expect(same.status == .code(8), "\(same.errorText)")
        let second = try await Program.run(words(1, server))
        #expect(second.status == .code(0), "\(second.errorText)")
        server.limit()
        let outcome = await first.wait()
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        expectBoth()
    }

    /// Small ones have no journal that says whose they are.
    @Test func manyOfOneNameInOneRun() async throws {
        let resources = (0..<40).map { OriginResource("/\($0)/index.json", size: 3000, seed: UInt64($0)) }
        let server = try OriginServer(OriginConfiguration(resources))
        mkdir(Program.file("t"), 0o755)
        var list = ""
        for index in resources.indices {
            mkdir(Program.file("\(index)"), 0o755)
            list += server.url(for: resources[index].path) + "\n dir=\(index)\n"
        }
        try Program.write(list, to: "list")
        let outcome = try await Program.run("--temp-directory", "t", "-j", "16", "-i", "list")
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        for (index, resource) in resources.enumerated() {
            #expect(FileContents.difference(of: Program.file("\(index)/index.json"), from: resource) == nil)
        }
        #expect(FileContents.names(in: Program.file("t")).isEmpty)
    }

    /// Whoever gives a directory another name goes on from what is on hand.
    @Test func aMovedDirectoryLosesNothing() async throws {
        let server = try server()
        #expect(try await Program.run(words(0, server) + ["--max-time", "1.5"]).status == .code(3))
        rmdir(Program.file("b"))
        rename(Program.file("a"), Program.file("b"))
        server.limit()
        let outcome = try await Program.run(
            "--json", "--temp-directory", "t", "-d", "b", server.url(for: "/a/big.bin"))
        #expect(outcome.status == .code(0) && !outcome.outputText.contains(#""resumed":0"#), "\(outcome.errorText)")
        #expect(FileContents.names(in: Program.file("t")).isEmpty)
    }
}
