import HaulOrigin
import HaulSystem
import HaulTestSupport
import Testing

@testable import Haul

/// What a batch knows of a directory without looking for each file.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct BatchDirectoriesTests {
    private var directory: String { TemporaryDirectory.current }

    private func paths(_ name: String) -> DownloadPaths { DownloadPaths(final: directory + "/" + name) }

    /// Whether paths are known to be clear, with directories looked at at once.
    private func areClear(_ directories: BatchDirectories, _ paths: DownloadPaths, now: Duration = .zero) -> Bool {
        var looks: [@Sendable () -> Void] = []
        defer { for look in looks { look() } }
        return directories.areClear(paths, now: now) { looks.append($0) }
    }

    /// Directories that were asked about so often that they are listed.
    private func listed(at now: Duration = .zero) -> BatchDirectories {
        let directories = BatchDirectories()
        for number in 0...8 { #expect(!areClear(directories, paths("first\(number)"), now: now)) }
        return directories
    }

    @Test("Few files are looked at one by one, more are not")
    func many() {
        let directories = listed()
        #expect(areClear(directories, paths("f")))
        // Another directory is another matter.
        #expect(!areClear(directories, DownloadPaths(final: directory + "/d/f")))
    }

    @Test("What an earlier run left is looked at by itself", arguments: [".haul", ".haul-journal"])
    func leftovers(_ suffix: String) throws {
        try FileContents.write([1], to: directory + "/f" + suffix)
        let directories = listed()
        #expect(!areClear(directories, paths("f")))
        #expect(areClear(directories, paths("g")))
        #expect(areClear(directories, paths("f" + suffix + "x")))
    }

    @Test("A look is believed for five seconds")
    func age() throws {
        let directories = listed(at: .seconds(100))
        try FileContents.write([1], to: directory + "/f.haul")
        #expect(areClear(directories, paths("f"), now: .seconds(104)))
        // The one that has it listed is looked at by itself, whatever is found.
        #expect(!areClear(directories, paths("g"), now: .seconds(105)))
        #expect(!areClear(directories, paths("f"), now: .seconds(105)))
        #expect(areClear(directories, paths("g"), now: .seconds(105)))
    }

    @Test("Where no file can be made, each is told so", arguments: ["missing", "file"])
    func noPlace(_ name: String) throws {
        try FileContents.write([1], to: directory + "/file")
        let directories = BatchDirectories()
        for number in 0..<20 { #expect(!areClear(directories, paths(name + "/f\(number)"))) }
    }

    @Test("While it is looked at, files are looked at one by one, and nobody else begins to")
    func looking() {
        let directories = BatchDirectories()
        var looks: [@Sendable () -> Void] = []
        for number in 0..<20 {
            #expect(!directories.areClear(paths("f\(number)"), now: .zero) { looks.append($0) })
        }
        #expect(looks.count == 1)
        looks.first?()
        #expect(areClear(directories, paths("f")))
    }

    @Test("Listings know limits and endings")
    func listing() throws {
        for name in ["a.haul", "b", ".haul", "haul", "c.haul-journal"] {
            try FileContents.write([1], to: directory + "/" + name)
        }
        let suffixes = [".haul", ".haul-journal"]
        let names = try DirectoryListing.names(in: directory, endingIn: suffixes, limit: 5)
        #expect(names?.sorted() == [".haul", "a.haul", "c.haul-journal"])
        #expect(try DirectoryListing.names(in: directory, endingIn: suffixes, limit: 4) == nil)
        #expect(try DirectoryListing.names(in: directory)?.count == 5)
        #expect(throws: SystemError.self) { try DirectoryListing.names(in: directory + "/none") }
    }

    @Test("A batch goes on from every partial and removes every journal that it finds, the last ones too")
    func batch() async throws {
        let resources = (0..<30).map { OriginResource("/f\($0)", size: Int64(5000 + $0), seed: UInt64($0)) }
        let server = try OriginServer(OriginConfiguration(resources))
        defer { server.stop() }
        for number in [20, 29] { try FileContents.write([1, 2, 3], to: directory + "/f\(number).haul") }
        for number in [21, 28] { try FileContents.write([1, 2, 3], to: directory + "/f\(number).haul-journal") }
        let requests = (0..<30).map { DownloadRequest(server.url(for: "/f\($0)"), to: .directory(directory)) }
        var limits = DownloaderOptions()
        limits.maximumConcurrentDownloads = 1
        for await outcome in Downloader(options: limits).download(contentsOf: requests) {
            _ = try outcome.result.get()
        }
        for (number, resource) in resources.enumerated() {
            #expect(FileContents.difference(of: directory + "/f\(number)", from: resource) == nil)
        }
        #expect(FileContents.names(in: directory).count == 30)
    }

    #if DEBUG
        @Test("Of many files none but the first few are looked for by three names")
        func calls() async throws {
            let resources = (0..<100).map { OriginResource("/f\($0)", size: 5000, seed: UInt64($0)) }
            let server = try OriginServer(OriginConfiguration(resources))
            defer { server.stop() }
            let plan = FaultPlan(for: directory + "/")
            plan.install()
            defer { plan.remove() }
            let requests = resources.map { DownloadRequest(server.url(for: $0.path), to: .directory(directory)) }
            for await outcome in Downloader().download(contentsOf: requests) { _ = try outcome.result.get() }
            // Some may have taken their time, and a run sees to them.
            #expect(plan.count(.lstat) < 200)
        }
    #endif
}
