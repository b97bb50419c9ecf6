import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// What is there already under the names that the program wants.
@Suite(.serialized, .temporaryDirectory, .timeLimit(.minutes(10)))
struct ExistingFileTests {
    private static let resource = OriginResource("/big.bin", size: 5_000_001, seed: 31)

    private func fetch(_ server: OriginServer, _ more: String...) async throws -> ProcessRunner.Outcome {
        try await Program.run(more + ["--json", "-o", "f", server.url(for: "/big.bin")] + Origin.smallSplit)
    }

    @Test func completeFileCostsAProbe() async throws {
        let server = try OriginServer(Self.resource)
        #expect(try await fetch(server).status == .code(0))
        let status = try FileStatus(Program.file("f"))
        #expect(status.modified[0] == 1_700_000_000)
        server.forgetRequests()
        let again = try await fetch(server)
        #expect(again.status == .code(0), "\(again.errorText)")
        #expect(again.outputText.contains("\"complete\":true"))
        #expect(server.bytesSent <= 64 << 10)
        #expect(server.requests.count == 1)
        #expect(try FileStatus(Program.file("f")) == status)
        #expect(Program.names == ["f"])
    }

    @Test func completeFileWithADigestCostsNothing() async throws {
        let server = try OriginServer(Self.resource)
        #expect(try await fetch(server).status == .code(0))
        let sum = try await ProcessRunner.check("/usr/bin/sha256sum", [Program.file("f")])
        let status = try FileStatus(Program.file("f"))
        server.forgetRequests()
        let again = try await fetch(server, "--checksum", "sha-256=" + String(sum.outputText.prefix(64)))
        #expect(again.status == .code(0), "\(again.errorText)")
        #expect(server.bytesSent <= 64 << 10)
        #expect(try FileStatus(Program.file("f")) == status)
    }

    @Test func emptyFileIsCompleteAsWell() async throws {
        // A range of an empty file is answered with 416, which says nothing of dates.
        let server = try OriginServer(OriginResource("/big.bin", size: 0, seed: 31))
        #expect(try await fetch(server).status == .code(0))
        let again = try await fetch(server)
        #expect(again.status == .code(0), "\(again.errorText)")
        #expect(again.outputText.contains("\"complete\":true"))
        try FileContents.write([1], to: Program.file("f"))
        #expect(try await fetch(server).status == .code(9))
    }

    @Test func sameSizeAndDateIsNotEnough() async throws {
        let server = try OriginServer(Self.resource)
        #expect(try await fetch(server).status == .code(0))
        try FileContents.write([0, 1, 2, 3, 4, 5, 6, 7], to: Program.file("f"), at: 1000)
        var times = [timespec(tv_sec: 1_700_000_000, tv_nsec: 0), timespec(tv_sec: 1_700_000_000, tv_nsec: 0)]
        utimensat(AT_FDCWD, Program.file("f"), &times, 0)
        let status = try FileStatus(Program.file("f"))
        let refused = try await fetch(server)
        #expect(refused.status == .code(9))
        #expect(try FileStatus(Program.file("f")) == status)
    }

    @Test func otherContentStaysUnlessForced() async throws {
        let server = try OriginServer(Self.resource)
        try FileContents.write(Array("precious".utf8), to: Program.file("f"))
        let status = try FileStatus(Program.file("f"))
        let refused = try await fetch(server)
        #expect(refused.status == .code(9))
        #expect(refused.errorText.contains("--force"))
        #expect(try FileStatus(Program.file("f")) == status)
        #expect(Program.names == ["f"])
        let forced = try await fetch(server, "-f")
        #expect(forced.status == .code(0), "\(forced.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil)
        #expect(Program.names == ["f"])
    }

    /// What curl or a browser left is not thrown away for want of a word.
    @Test func shorterFileMayBeGoneOnFrom() async throws {
        let server = try OriginServer(Self.resource)
        try FileContents.write(Self.resource.content, 0..<2_000_000, to: Program.file("f"))
        let refused = try await fetch(server)
        #expect(refused.status == .code(9))
        #expect(refused.errorText.contains("--adopt 'f'"), "\(refused.errorText)")
        let adopted = try await fetch(server, "--adopt", "f")
        #expect(adopted.status == .code(0), "\(adopted.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil)
    }

    @Test func forcedFileStaysUntilTheNewOneIsFinished() async throws {
        let server = try Origin.limited(Self.resource, rate: 2 << 20, after: 3_500_000)
        try FileContents.write(Array("precious".utf8), to: Program.file("f"))
        let process = try Program.start(["-f", "-o", "f", server.url(for: "/big.bin")])
        try await Waiting.until("bytes") { server.bytesSent > 3_000_000 || process.hasEnded }
        process.signal(SIGKILL)
        _ = await process.wait()
        #expect(try FileContents.read(Program.file("f")) == Array("precious".utf8))
    }

    @Test func directoriesAndFilesInTheWay() async throws {
        let server = try OriginServer(Self.resource)
        let url = server.url(for: "/big.bin")
        mkdir(Program.file("d"), 0o755)
        mkdir(Program.file("d/big.bin"), 0o755)
        try FileContents.write([1], to: Program.file("file"))
        let inTheWay = try await Program.run("-d", "d", url)
        #expect(inTheWay.status == .code(9), "\(inTheWay.errorText)")
        for words in [["-o", "missing/f"], ["-o", "file/f"], ["-d", "missing"], ["-d", "file"]] {
            let outcome = try await Program.run(words + [url])
            #expect(outcome.status == .code(6), "\(words): \(outcome.errorText)")
            #expect(outcome.errorText.hasPrefix("haul: "))
            #expect(outcome.errorText.filter { $0 == "\n" }.count == 1, "\(outcome.errorText)")
        }
        #expect(Program.names == ["d", "file"])
        #expect(FileContents.names(in: Program.file("d")) == ["big.bin"])
    }

    /// A device, pipe or socket is not made a file, not even by root who asks for it: `-f -o /dev/null` must not end one.
    @Test(arguments: [mode_t(S_IFIFO), mode_t(S_IFSOCK)])
    func noFileTakesTheNameOfAPipeOrSocket(_ kind: mode_t) async throws {
        let server = try OriginServer(Self.resource)
        try #require(mknod(Program.file("f"), kind | 0o644, 0) == 0)
        let status = try FileStatus(Program.file("f"))
        for more in [[], ["-f"]] {
            let outcome = try await Program.run(more + ["-o", "f", server.url(for: "/big.bin")])
            #expect(outcome.status == .code(9), "\(outcome.errorText)")
            #expect(outcome.errorText.contains("-o -") && !outcome.errorText.contains("--force"))
            #expect(try FileStatus(Program.file("f")) == status)
            #expect(Program.names == ["f"])
        }
        // Nor is a link to one replaced, such as /dev/stdout.
        try #require(symlink("f", Program.file("link")) == 0)
        for more in [[], ["-f"]] {
            let outcome = try await Program.run(more + ["-o", "link", server.url(for: "/big.bin")])
            #expect(outcome.status == .code(9), "\(outcome.errorText)")
            #expect(outcome.errorText.contains("-o -") && !outcome.errorText.contains("--force"))
            #expect(Program.names == ["f", "link"])
        }
    }

    @Test func leftJournalOfAFinishedFileGoes() async throws {
        let server = try OriginServer(Self.resource)
        #expect(try await fetch(server).status == .code(0))
        try FileContents.write(Array("HAUL".utf8), to: Program.file("f.haul-journal"))
        #expect(try await fetch(server).status == .code(0))
        #expect(Program.names == ["f"])
        // The same where the address gives the name.
        #expect(try await Program.run(server.url(for: "/big.bin")).status == .code(0))
        try FileContents.write(Array("HAUL".utf8), to: Program.file("big.bin.haul-journal"))
        #expect(try await Program.run(server.url(for: "/big.bin")).status == .code(0))
        #expect(Program.names == ["big.bin", "f"])
    }

    @Test(arguments: [242, 255, 256])
    func namesAtTheLimit(length: Int) async throws {
        let server = try OriginServer(Self.resource)
        let name = String(repeating: "n", count: length - 4) + ".bin"
        let outcome = try await Program.run(["-o", name, server.url(for: "/big.bin")] + Origin.smallSplit)
        guard length <= 255 else {
            #expect(outcome.status == .code(6), "\(outcome.errorText)")
            #expect(Program.names.isEmpty)
            return
        }
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(Program.names == [name])
        #expect(FileContents.difference(of: Program.file(name), from: Self.resource) == nil)
    }

    /// What somebody put where the program keeps its own files.
    enum Plant: CaseIterable, Sendable {
        case link, danglingLink, pipe, hardLink, directory

        /// Puts it there.
        func put(at path: String, victim: String) {
            switch self {
            case .link: symlink(victim, path)
            case .danglingLink: symlink(Program.file("nothing"), path)
            case .pipe: mkfifo(path, 0o644)
            case .hardLink: Glibc.link(victim, path)
            case .directory: mkdir(path, 0o755)
            }
        }
    }

    @Test(arguments: Plant.allCases, [".haul", ".haul-journal"])
    func plantedFilesAreRefused(_ plant: Plant, _ suffix: String) async throws {
        let server = try OriginServer(Self.resource)
        let planted = Program.file("f" + suffix)
        let victim = Program.file("victim")
        try FileContents.write(Array("precious".utf8), to: victim)
        plant.put(at: planted, victim: victim)
        let before = (try FileStatus(planted), try FileStatus(victim))
        let outcome = try await fetch(server)
        #expect(try FileContents.read(victim) == Array("precious".utf8))
        #expect(!FileContents.exists(Program.file("nothing")))
        if outcome.status == .code(0) {
            // A journal without a partial may give way; what it led to may not.
            #expect(suffix == ".haul-journal")
            #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil)
        } else {
            #expect(outcome.status == .code(6), "\(outcome.errorText)")
            #expect(outcome.errorText.contains("f" + suffix), "\(outcome.errorText)")
            #expect(try FileStatus(planted) == before.0)
            #expect(try FileStatus(victim) == before.1)
            #expect(!FileContents.exists(Program.file("f")))
        }
    }

    @Test func modesOfPartialAndJournal() async throws {
        let server = try Origin.limited(Self.resource, rate: 2 << 20, after: 3_500_000)
        let command = "umask 022; exec \"$0\" -o f --min-split-size 256K \"$1\""
        let process = try ProcessRunner(
            "/bin/sh", ["-c", command, HaulBinary.path, server.url(for: "/big.bin")],
            environment: ["no_proxy": "*"], directory: TemporaryDirectory.current)
        try await Waiting.until("bytes") { server.bytesSent > 3_000_000 || process.hasEnded }
        process.signal(SIGTERM)
        #expect(await process.wait().status == .code(143))
        #expect(try FileStatus(Program.file("f.haul-journal")).mode == 0o600)
        #expect(try FileStatus(Program.file("f.haul")).mode & 0o022 == 0)
    }
}
