import Glibc
import HaulOrigin
import HaulTestSupport
import Testing

/// Disks that fill up, and limits on the size of files.
@Suite(.serialized, .temporaryDirectory, .timeLimit(.minutes(10)))
struct DiskTests {
    private static let resource = OriginResource("/big.bin", size: 6_000_001, seed: 41)

    private func words(_ url: String) -> [String] {
        ["--json", "-n", "4", "-o", "disk/f", url] + Origin.smallSplit
    }

    /// A small file system of its own; nil without the right to mount, which is a failure where tests must be complete.
    private func mounted(_ size: String) throws -> SmallDisk? {
        let path = Program.file("disk")
        mkdir(path, 0o755)
        if let disk = SmallDisk(path, size: size) { return disk }
        let mustMount = getenv("CI").map { String(cString: $0) } == "true"
        #expect(!mustMount, "mount: error \(errno)")
        return nil
    }

    @Test func tooSmallDiskIsSaidAtOnce() async throws {
        guard let disk = try mounted("3m") else { return }
        let server = try OriginServer(Self.resource)
        let full = try await Program.run(words(server.url(for: "/big.bin")))
        #expect(full.status == .code(6), "\(full.errorText)")
        #expect(full.errorText.hasPrefix("haul: "))
        #expect(!FileContents.exists(Program.file("disk/f")))
        try disk.resize("16m")
        let outcome = try await Program.run(words(server.url(for: "/big.bin")))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("disk/f"), from: Self.resource) == nil)
        #expect(FileContents.names(in: disk.path) == ["f"])
    }

    @Test func diskThatFillsUnderWayGoesOnWithRoom() async throws {
        guard let disk = try mounted("7m") else { return }
        // Of unknown length: there is nothing to reserve, so the disk fills while bytes come.
        var endless = Self.resource
        endless.size = 9_000_001
        endless.behaviors = [.chunkedUnknownLength]
        let server = try OriginServer(endless)
        let full = try await Program.run(words(server.url(for: "/big.bin")))
        #expect(full.status == .code(6), "\(full.errorText)")
        #expect(!FileContents.exists(Program.file("disk/f")))
        try disk.resize("32m")
        let outcome = try await Program.run(words(server.url(for: "/big.bin")))
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("disk/f"), from: endless) == nil)
        #expect(FileContents.names(in: disk.path) == ["f"])
    }

    @Test func smallFilesThatFindNoRoomLeaveNothingEmpty() async throws {
        guard let disk = try mounted("2m") else { return }
        let resources = (0..<40).map { OriginResource("/\($0)", size: 100_000, seed: UInt64($0)) }
        let server = try OriginServer(OriginConfiguration(resources))
        let words = ["-q", "-j", "8", "-d", "disk"] + resources.map { server.url(for: $0.path) }
        let full = try await Program.run(words)
        #expect(full.status == .code(6), "\(full.errorText)")
        let names = FileContents.names(in: disk.path)
        #expect(names.contains { !$0.hasSuffix(".haul") })
        for name in names { #expect(try !FileContents.read(disk.path + "/" + name).isEmpty, "\(name)") }
        try disk.resize("16m")
        let outcome = try await Program.run(words)
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        for resource in resources {
            #expect(FileContents.difference(of: disk.path + resource.path, from: resource) == nil)
        }
        #expect(FileContents.names(in: disk.path).count == resources.count)
    }

    @Test(arguments: [OriginBehavior.honest, .chunkedUnknownLength])
    func fileSizeLimitIsADiskError(_ behavior: OriginBehavior) async throws {
        var resource = Self.resource
        resource.behaviors = [behavior]
        let server = try OriginServer(resource)
        let url = server.url(for: "/big.bin")
        // Blocks of 512 or 1024 bytes, as the shell likes: 1 to 2 MiB either way.
        let command = "ulimit -f 2048; exec \"$0\" --json -n 4 --min-split-size 256K -o f \"$1\""
        let limited = try await Program.shell(command, url)
        #expect(limited.status == .code(6), "\(limited.status) \(limited.errorText)")
        #expect(!FileContents.exists(Program.file("f")))
        let outcome = try await Program.run("-o", "f", url)
        #expect(outcome.status == .code(0), "\(outcome.errorText)")
        #expect(FileContents.difference(of: Program.file("f"), from: Self.resource) == nil)
        #expect(Program.names == ["f"])
    }

    @Test func spaceThatAnotherTakesUnderWay() async throws {
        guard let disk = try mounted("16m") else { return }
        let server = try Origin.limited(Self.resource, rate: 2 << 20, after: 3_500_000)
        let url = server.url(for: "/big.bin")
        let process = try Program.start(words(url))
        try await Waiting.until("half") { server.bytesSent > 3_000_000 || process.hasEnded }
        process.signal(SIGKILL)
        _ = await process.wait()
        // Whoever fills the rest cannot take what is there, or reserved.
        _ = try await Program.shell("dd if=/dev/zero of=disk/ballast bs=64k 2>/dev/null; true")
        server.replace(Self.resource)
        server.limit()
        let full = try await Program.run(words(url))
        if full.status != .code(0) {
            #expect(full.status == .code(6), "\(full.errorText)")
            unlink(Program.file("disk/ballast"))
            let outcome = try await Program.run(words(url))
            #expect(outcome.status == .code(0), "\(outcome.errorText)")
        } else {
            unlink(Program.file("disk/ballast"))
        }
        #expect(FileContents.difference(of: Program.file("disk/f"), from: Self.resource) == nil)
        #expect(FileContents.names(in: disk.path) == ["f"])
        #expect(server.bytesSent <= Self.resource.size + (3 << 20))
    }
}
