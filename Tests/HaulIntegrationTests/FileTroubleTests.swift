import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// File systems and surroundings that are not as they should be: one line and the right status, nothing that is not
/// ours touched, and with the trouble gone the same command goes on.
@Suite(.serialized, .temporaryDirectory, .timeLimit(.minutes(10)))
struct FileTroubleTests {
    private static let resource = OriginResource("/big.bin", size: 3_000_001, seed: 47)

    private func words(_ server: OriginServer, _ name: String = "f") -> [String] {
        ["--json", "-n", "4", "-o", name, server.url(for: "/big.bin")] + Origin.smallSplit
    }

    /// An interrupted run's partial and journal, with about half of the file.
    private func leavePartial(_ server: OriginServer) async throws {
        server.limit(rate: 2 << 20, silentAfter: 2_000_000)
        let process = try Program.start(words(server))
        try await Waiting.until("half") { server.bytesSent > 1_500_000 || process.hasEnded }
        process.signal(SIGTERM)
        #expect(await process.wait().status == .code(143))
        server.limit()
        server.forgetRequests()
    }

    /// Runs in surroundings that a command of the shell makes.
    private func run(_ command: String, _ server: OriginServer) async throws -> ProcessRunner.Outcome {
        try await Program.shell(
            command + "; exec \"$0\" --json -n 4 -o f --min-split-size 256K \"$1\"", server.url(for: "/big.bin"))
    }

    private func checkRefused(_ outcome: ProcessRunner.Outcome, _ status: Int32 = 6) {
        #expect(outcome.status == .code(status), "\(outcome.status) \(outcome.errorText)")
        #expect(outcome.errorText.hasPrefix("haul: "), "\(outcome.errorText)")
        #expect(outcome.errorText.filter { $0 == "\n" }.count == 1, "\(outcome.errorText)")
    }

    private func checkWhole(_ outcome: ProcessRunner.Outcome, _ name: String = "f") {
        #expect(outcome.status == .code(0), "\(outcome.status) \(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file(name), from: Self.resource) == nil)
    }

    // MARK: - Limits

    @Test func fileSizeLimitKeepsThePartial() async throws {
        let server = try OriginServer(Self.resource)
        try await leavePartial(server)
        checkRefused(try await run("ulimit -f 2048", server))
        #expect(Program.names == ["f.haul", "f.haul-journal"])
        let outcome = try await Program.run(words(server))
        checkWhole(outcome)
        #expect(outcome.number("resumed") ?? 0 > 500_000)
        #expect(Program.names == ["f"])
    }

    @Test(arguments: [3, 6, 8, 10, 16, 20, 24, 31])
    func tooFewDescriptorsAreSaidAtOnce(count: Int) async throws {
        let server = try OriginServer(Self.resource)
        let outcome = try await run("ulimit -n \(count)", server)
        // With so few that the program's libraries can't be opened, it is not haul that says so.
        if count > 3 { checkRefused(outcome) }
        #expect(outcome.status != .code(0))
        #expect(Program.names.isEmpty)
    }

    @Test(arguments: [32, 40, 64])
    func fewDescriptorsMakeFewConnections(count: Int) async throws {
        let server = try OriginServer(Self.resource)
        checkWhole(
            try await Program.shell(
                "ulimit -n \(count); exec \"$0\" -n 64 -o f --min-split-size 64K \"$1\"", server.url(for: "/big.bin")))
        let list = (0..<20).map { "\(server.url(for: "/big.bin"))?\($0)\n  out=f\($0)\n" }.joined()
        try FileContents.write(Array(list.utf8), to: Program.file("list"))
        let outcome = try await Program.shell("ulimit -n \(count); exec \"$0\" -q -j 20 -i list")
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        for index in 0..<20 {
            #expect(FileContents.difference(of: Program.file("f\(index)"), from: Self.resource) == nil)
        }
    }

    /// Those that wait for the disk are open too.
    @Test(arguments: [32, 40, 64], ["", "-j 64 -n 16"])
    func fewDescriptorsDoForManySmallFiles(count: Int, options: String) async throws {
        let small = OriginResource("/small.bin", size: 2000, seed: 7)
        let server = try OriginServer(small)
        let list = (0..<300).map { "\(server.url(for: "/small.bin"))?\($0)\n  out=f\($0)\n" }.joined()
        try FileContents.write(Array(list.utf8), to: Program.file("list"))
        let outcome = try await Program.shell("ulimit -n \(count); exec \"$0\" -q -i list \(options)")
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect((0..<300).allSatisfy { FileContents.difference(of: Program.file("f\($0)"), from: small) == nil })
    }

    @Test(arguments: [0o000, 0o022, 0o027, 0o077])
    func modeFollowsTheMask(mask: UInt32) async throws {
        let server = try OriginServer(Self.resource)
        checkWhole(try await run("umask \(String(mask, radix: 8))", server))
        let status = try FileStatus(Program.file("f"))
        #expect(status.mode == 0o666 & ~mask)
        #expect(status.modified[0] == 1_700_000_000)
    }

    // MARK: - Places

    @Test func readOnlyFileSystem() async throws {
        let path = Program.file("disk")
        mkdir(path, 0o755)
        guard let disk = SmallDisk(path, size: "8m") else { return }
        let server = try OriginServer(Self.resource)
        #expect(mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
        checkRefused(try await Program.run(words(server, "disk/f")))
        #expect(FileContents.names(in: path).isEmpty)
        #expect(mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), nil) == 0)
        checkWhole(try await Program.run(words(server, "disk/f")), "disk/f")
        #expect(FileContents.names(in: disk.path) == ["f"])
    }

    @Test func partialsOnAnotherFileSystem() async throws {
        guard access("/dev/shm", W_OK) == 0 else { return }
        let other = try TemporaryDirectory(under: "/dev/shm")
        let server = try OriginServer(Self.resource)
        let words = words(server) + ["--temp-directory", other.path]
        server.limit(rate: 2 << 20, silentAfter: 2_000_000)
        let process = try Program.start(words)
        try await Waiting.until("half") { server.bytesSent > 1_500_000 || process.hasEnded }
        process.signal(SIGKILL)
        _ = await process.wait()
        server.limit()
        #expect(Program.names.isEmpty)
        #expect(FileContents.names(in: other.path) == ["f.haul", "f.haul-journal"])
        let outcome = try await Program.run(words)
        checkWhole(outcome)
        #expect(outcome.number("resumed") ?? 0 > 0)
        #expect(try FileStatus(Program.file("f")).modified[0] == 1_700_000_000)
        #expect(Program.names == ["f"] && FileContents.names(in: other.path).isEmpty)
    }

    @Test(arguments: ["f.haul", "f.haul-journal", "f.haul-journal.new"])
    func ownSuffixesAsNames(name: String) async throws {
        let server = try OriginServer(Self.resource)
        checkWhole(try await Program.run(words(server, name)), name)
        // A finished file of that name is no partial: what it is can't be told from its name.
        let status = try FileStatus(Program.file(name))
        let other = try await Program.run(words(server, "f"))
        #expect(other.status == .code(0) || other.status == .code(6), "\(other.errorText)")
        if other.status == .code(6) { #expect(try FileStatus(Program.file(name)) == status) }
    }

    // MARK: - What others left

    @Test(arguments: [1, 2])
    func partialsOfOthers(kind: Int) async throws {
        guard geteuid() == 0 else { return }
        let server = try OriginServer(Self.resource)
        try await leavePartial(server)
        let path = Program.file("f.haul")
        if kind == 1 { chown(path, 1, 1) } else { chmod(path, 0o666) }
        let status = try FileStatus(path)
        checkRefused(try await Program.run(words(server)))
        #expect(try FileStatus(path) == status)
        if kind == 1 { chown(path, 0, 0) } else { chmod(path, 0o600) }
        let outcome = try await Program.run(words(server))
        checkWhole(outcome)
        #expect(outcome.number("resumed") ?? 0 > 0)
    }

    @Test(arguments: ExistingFileTests.Plant.allCases, ["f.haul-journal.new", "jar", "f"])
    func plantedNames(_ plant: ExistingFileTests.Plant, _ name: String) async throws {
        let server = try OriginServer(Self.resource)
        let victim = Program.file("victim")
        try FileContents.write(Array("precious".utf8), to: victim)
        plant.put(at: Program.file(name), victim: victim)
        let extra = name == "jar" ? ["--cookie-jar", "jar"] : []
        let outcome = try await Program.run(words(server) + extra, timeout: .seconds(20))
        #expect(try FileContents.read(victim) == Array("precious".utf8))
        #expect(!FileContents.exists(Program.file("nothing")))
        switch name {
        case "jar": checkRefused(outcome, 2)
        // A directory is taken for a mistake in the command: the file may be meant to go into it.
        case "f": checkRefused(outcome, plant == .directory ? 2 : 9)
        default:
            // Left by a crash, as far as anybody can tell: it gives way, but for a directory.
            if plant == .directory { checkRefused(outcome) } else { checkWhole(outcome) }
        }
    }

    @Test(arguments: [ExistingFileTests.Plant.link, .danglingLink, .pipe, .hardLink, .directory])
    func plantedCopies(_ plant: ExistingFileTests.Plant) async throws {
        guard access("/dev/shm", W_OK) == 0 else { return }
        let other = try TemporaryDirectory(under: "/dev/shm")
        let server = try OriginServer(Self.resource)
        let victim = Program.file("victim")
        try FileContents.write(Array("precious".utf8), to: victim)
        // The name depends on the target's only.
        let copy = ".haul-copy-151a27db"
        plant.put(at: Program.file(copy), victim: victim)
        let outcome = try await Program.run(words(server) + ["--temp-directory", other.path])
        #expect(try FileContents.read(victim) == Array("precious".utf8))
        #expect(!FileContents.exists(Program.file("nothing")) && !FileContents.exists(Program.file("f")))
        checkRefused(outcome)
        #expect(outcome.errorText.contains(copy), "\(outcome.errorText)")
        // The whole file is there, and goes on once the way is free.
        TemporaryDirectory.remove(Program.file(copy))
        let again = try await Program.run(words(server) + ["--temp-directory", other.path])
        checkWhole(again)
        #expect(again.number("resumed") == Self.resource.size)
    }
}
