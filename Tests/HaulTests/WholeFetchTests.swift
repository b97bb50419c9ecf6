import Glibc
import HaulCore
import HaulOrigin
import HaulSystem
import HaulTestSupport
import Testing

@testable import Haul

/// Small files that one answer brings whole, and everything that makes a run of them after all.
@Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
struct WholeFetchTests {
    typealias Wire = EngineBench.Wire

    /// Within the first request.
    private static let size: Int64 = 20_001
    private static let path = "/f.bin"

    private var directory: String { TemporaryDirectory.current }
    private var final: String { directory + "/f.bin" }
    private var names: [String] { FileContents.names(in: directory) }

    private func small(_ behaviors: OriginBehavior...) -> OriginResource {
        OriginResource(Self.path, size: Self.size, seed: 21, behaviors: behaviors)
    }

    private func isRight(_ resource: OriginResource) -> Bool {
        FileContents.difference(of: final, from: resource) == nil && names == ["f.bin"]
    }

    @Test("It is told of like any other", arguments: Wire.allCases)
    func events(_ wire: Wire) async throws {
        let resource = small()
        let ending = try await EngineBench(wire: wire).run(resource, to: final)
        let receipt = try ending.result.get()
        #expect(isRight(resource))
        #expect(try FileFacts.of(final)?.modificationTime == resource.lastModified)
        #expect(ending.requests.count == 1)
        #expect(receipt.bytes == Self.size && receipt.received == Self.size && receipt.resumed == 0)
        #expect(receipt.requests == 1 && receipt.connections == 1 && receipt.path == final)
        #expect(receipt.verified == ["crc32c of every range"])
        let told = ending.events.map { event in
            switch event {
            case .located(let path): "located \(path)"
            case .started(let path, let total, let resumed): "started \(path) \(total ?? -1) \(resumed)"
            case .planned(let plan): plan
            default: "\(event)"
            }
        }
        #expect(
            told == [
                "located \(final)", "located \(final)", "started \(final) \(Self.size) 0",
                "one connection: too little is missing to divide it",
            ])
    }

    @Test("A large file's first answer is used", arguments: Wire.allCases)
    func largeFile(_ wire: Wire) async throws {
        let resource = OriginResource(Self.path, size: EngineBench.size, seed: 3)
        let ending = try await EngineBench(wire: wire).run(resource, to: final)
        _ = try ending.result.get()
        #expect(isRight(resource))
        #expect(ending.requests.filter { $0.range?.hasPrefix("bytes=0-") ?? true }.count == 1)
    }

    @Test("What is no small file is a run's, with nothing asked twice", arguments: Wire.allCases)
    func notWhole(_ wire: Wire) async throws {
        for behavior: OriginBehavior in [.noRanges, .chunkedUnknownLength, .closeDelimited] {
            let resource = OriginResource(Self.path, size: EngineBench.size, seed: 4, behavior: behavior)
            let ending = try await EngineBench(wire: wire, connections: 1).run(resource, to: final)
            _ = try ending.result.get()
            #expect(isRight(resource), "\(behavior)")
            #expect(ending.requests.count == 1, "\(behavior)")
            unlink(final)
        }
    }

    @Test("A server that asks to wait is left alone for that long", arguments: Wire.allCases)
    func busy(_ wire: Wire) async throws {
        let resource = small(.refuses(status: 503, times: 1, retryAfter: .seconds(3)))
        let ending = try await EngineBench(wire: wire).run(resource, to: final)
        _ = try ending.result.get()
        #expect(isRight(resource))
        #expect(ending.requests.map(\.status) == [503, 206])
        #expect(ending.events.contains { if case .retrying(_, let wait) = $0 { wait >= .seconds(3) } else { false } })
    }

    @Test("An answer that breaks off is gone on from", arguments: Wire.allCases)
    func cut(_ wire: Wire) async throws {
        let resource = small(.closesEvery(bytes: 9000))
        let ending = try await EngineBench(wire: wire).run(resource, to: final)
        _ = try ending.result.get()
        #expect(isRight(resource))
        #expect(ending.requests.filter { $0.range?.hasPrefix("bytes=0-") ?? true }.count == 1)
    }

    @Test("Redirects are followed", arguments: Wire.allCases)
    func redirect(_ wire: Wire) async throws {
        let resource = small(.redirectChain(hops: 2))
        let ending = try await EngineBench(wire: wire).run(resource, to: final)
        #expect(try ending.result.get().requests == 3)
        #expect(isRight(resource))
    }

    @Test("What can't be used leaves nothing", arguments: Wire.allCases)
    func refused(_ wire: Wire) async throws {
        for behavior: OriginBehavior in [.gzipAnyway, .refuses(status: 404, times: 99, retryAfter: .none)] {
            let ending = try await EngineBench(wire: wire, retries: 1).run(small(behavior), to: final)
            #expect(throws: DownloadError.self) { try ending.result.get() }
            #expect(names.isEmpty, "\(behavior)")
        }
    }

    @Test("An answer that takes its time is a run's in the middle of it", arguments: Wire.allCases)
    func slow(_ wire: Wire) async throws {
        for behavior: OriginBehavior in [.dripFeed(rate: 4000), .latency(.seconds(5))] {
            let resource = small(behavior)
            // With more connections the run may rightly race one that is as slow as this, and on a faster clock a busy
            // machine would make it stall.
            let ending = try await EngineBench(wire: wire, connections: 1, speed: 2).run(resource, to: final)
            #expect(try ending.result.get().requests == 1)
            #expect(isRight(resource), "\(behavior)")
            unlink(final)
        }
    }

    @Test("How long the first answer took is known where it was asked before the run began", arguments: Wire.allCases)
    func distance(_ wire: Wire) async throws {
        let resource = OriginResource(Self.path, size: 400_000, seed: 6, behavior: .latency(.milliseconds(400)))
        // Eight where answers take long, four where they come at once; everything is here before more are tried.
        let ending = try await EngineBench(wire: wire, connections: nil, speed: 1).run(resource, to: final)
        #expect(try ending.result.get().connections == 8)
        #expect(isRight(resource))
    }

    @Test("One that is ended in the middle is gone on from", arguments: Wire.allCases)
    func cancelled(_ wire: Wire) async throws {
        let resource = small()
        let bench = ResumeBench(wire, path: final)
        // On a busy machine, what was sent may not have arrived when it is ended.
        for _ in 0..<10 where FileContents.size(of: bench.files.part) ?? 0 == 0 {
            _ = try await bench.interrupt(resource, after: 12_000)
            #expect(!FileContents.exists(final))
        }
        let ending = try await bench.resume(resource)
        #expect(try ending.result.get().resumed > 0)
        #expect(isRight(resource))
    }

    @Test("One that is ended asks no more", .timeLimit(.minutes(10)))
    func endedForGood() async throws {
        let resource = OriginResource(
            Self.path, size: EngineBench.size, seed: 5, behavior: .stallMidBody(after: 100_000, times: .max))
        for _ in 0..<40 {
            let network = ScriptedTransport(OriginConfiguration([resource]), time: .continuous(speed: 50))
            let path = final
            let task = Task {
                try await EngineBench(wire: .scripted, connections: 1).fetch(
                    "http://origin.test" + Self.path, to: path, over: network)
            }
            while network.requests.first?.bodyBytes ?? 0 < 100_000 { try await Task.sleep(for: .milliseconds(1)) }
            task.cancel()
            let (result, _) = try await task.value
            #expect(throws: DownloadError.self) { try result.get() }
            #expect(network.requests.count == 1)
            for name in names { unlink(directory + "/" + name) }
        }
    }

    /// The name is known when the answer is here.
    @Test("A partial that bears the name which the server gives is gone on from, and not passed by")
    func partialOfServersName() async throws {
        let resource = OriginResource(
            Self.path, size: Self.size, seed: 4, disposition: "attachment; filename=data.bin")
        let server = try OriginServer(OriginConfiguration([resource]))
        defer { server.stop() }
        let request = DownloadRequest(server.url(for: Self.path), to: .directory(directory))
        let part = directory + "/data.bin.haul"
        // Somebody else is at it.
        let other = try PartFile.create(part)
        try FileContents.write([1, 2, 3], to: part + "-journal")
        let error = await #expect(throws: DownloadError.self) { try await Downloader().download(request) }
        #expect(error?.code == .partialInUse)
        #expect(names == ["data.bin.haul", "data.bin.haul-journal"])
        #expect(FileContents.size(of: part + "-journal") == 3)
        other.unlock()
        // Nobody is: what was left goes.
        _ = try await Downloader().download(request)
        #expect(names == ["data.bin"])
        #expect(FileContents.difference(of: directory + "/data.bin", from: resource) == nil)
    }

    @Test("Digests of all sides are compared", arguments: Wire.allCases)
    func digests(_ wire: Wire) async throws {
        var bytes = [UInt8](repeating: 0, count: Int(Self.size))
        for index in bytes.indices { bytes[index] = small().content.byte(at: Int64(index)) }
        let right = try MessageDigest.digest(.sha256, of: bytes.span.bytes)
        let sum = ContentDigest(crc32c: HardwareCRC32C.checksum(bytes.span.bytes))
        var bench = EngineBench(wire: wire)
        bench.checksums = [try Checksum("sha-256=\(right.hex)"), try Checksum("crc32c=\(sum.hex)")]
        let ending = try await bench.run(small(), to: final)
        #expect(try ending.result.get().verified == ["sha-256", "crc32c", "crc32c of every range"])
        #expect(isRight(small()))
        unlink(final)
        bench.checksums = [try Checksum("sha-256=" + String(repeating: "0", count: 64))]
        let wrong = try await bench.run(small(), to: final)
        #expect(throws: DownloadError.self) { try wrong.result.get() }
        #expect(wrong.requests.count == 1)
        #expect(!FileContents.exists(final))
    }
}

#if DEBUG
    /// The same where the disk does not do as it should.
    @Suite(.temporaryDirectory, .timeLimit(.minutes(10)))
    struct WholeFetchFaultTests {
        private let resource = OriginResource("/f.bin", size: 20_001, seed: 22)
        private var directory: String { TemporaryDirectory.current }
        private var final: String { directory + "/f.bin" }
        private var names: [String] { FileContents.names(in: directory) }

        /// Fetches the file to a file system that has files without a name, or has not.
        private func fetch(
            hasUnnamed: Bool = true, groupsSyncs: Bool = false, _ disturb: (FaultPlan) -> Void
        ) async throws -> (ending: EngineBench.Ending, plan: FaultPlan) {
            let plan = FaultPlan(for: directory + "/")
            if !hasUnnamed { plan.disturb(.open, .error(EOPNOTSUPP)) }
            disturb(plan)
            plan.install()
            defer { plan.remove() }
            // Long seconds: a loaded machine must not make it one that takes its time, which a run would go on with.
            var bench = EngineBench(wire: .scripted, speed: 0.0001)
            bench.groupsSyncs = groupsSyncs
            return (try await bench.run(resource, to: final), plan)
        }

        @Test("It costs few calls")
        func calls() async throws {
            let (ending, plan) = try await fetch { _ in }
            _ = try ending.result.get()
            // A run opens what an earlier one may have left as well.
            #expect(plan.count(.open) == 2, "the partial, and the directory for its sync")
            #expect(plan.count(.pwrite) == 1 && plan.count(.pread) == 1 && plan.count(.linkat) == 1)
            #expect([SystemCall.flock, .fchmod, .renameat2, .unlink].allSatisfy { plan.count($0) == 0 })
            #expect(plan.count(.lstat) == 4, "the name, the partial before and after the request, and the journal")
        }

        @Test("Where the file system has no files without a name it has its partial's", arguments: [false, true])
        func named(_ groupsSyncs: Bool) async throws {
            let (ending, plan) = try await fetch(hasUnnamed: false, groupsSyncs: groupsSyncs) { _ in }
            _ = try ending.result.get()
            #expect(plan.count(.pwrite) == 1 && plan.count(.pread) == 1 && plan.count(.flock) == 1)
            #expect(plan.count(.linkat) == 0 && plan.count(.renameat2) == 1)
            #expect(FileContents.difference(of: final, from: resource) == nil)
            #expect(names == ["f.bin"])
        }

        @Test("What an earlier run's crash left of a journal goes, and nothing is asked twice")
        func journalLeft() async throws {
            try FileContents.write([1, 2, 3], to: final + ".haul-journal")
            let (ending, _) = try await fetch { _ in }
            _ = try ending.result.get()
            #expect(names == ["f.bin"] && ending.requests.count == 1)
        }

        /// What may go wrong with each kind of partial.
        private static let obstacles: [(call: SystemCall, number: Int32, hasUnnamed: Bool)] = [
            (.linkat, EEXIST, true), (.linkat, ENOENT, true), (.pwrite, EIO, true), (.pread, EIO, true),
            (.futimens, EIO, true),
            (.open, EEXIST, false), (.flock, EWOULDBLOCK, false), (.renameat2, EEXIST, false), (.pwrite, EIO, false),
            (.pread, EIO, false), (.fchmod, EIO, false), (.futimens, EIO, false),
        ]

        @Test(
            "What stands in its way is a run's, with nothing asked twice", arguments: Self.obstacles, [false, true])
        func once(
            _ obstacle: (call: SystemCall, number: Int32, hasUnnamed: Bool), _ groupsSyncs: Bool
        ) async throws {
            let (ending, plan) = try await fetch(hasUnnamed: obstacle.hasUnnamed, groupsSyncs: groupsSyncs) {
                $0.disturb(obstacle.call, nth: 1, times: 1, .error(obstacle.number))
            }
            // A run's partial is renamed.
            #expect(plan.count(obstacle.call) + (obstacle.call == .linkat ? plan.count(.renameat2) : 0) > 1)
            _ = try ending.result.get()
            #expect(ending.requests.count == 1)
            #expect(FileContents.difference(of: final, from: resource) == nil)
            #expect(names == ["f.bin"])
            let starts = ending.events.count { if case .started = $0 { true } else { false } }
            #expect(starts == 1)
        }

        @Test("A full disk is told, and nothing gets the name")
        func full() async throws {
            let (ending, _) = try await fetch { $0.disturb(.pwrite, times: .max, .error(ENOSPC)) }
            #expect(throws: DownloadError.self) { try ending.result.get() }
            if case .failure(let error) = ending.result { #expect(error.code == .diskFull) }
            // Nor is there a partial without a byte.
            #expect(names == [])
            let (again, _) = try await fetch { _ in }
            _ = try again.result.get()
            #expect(FileContents.difference(of: final, from: resource) == nil)
        }

        @Test("A sync that failed is not tried again", arguments: [false, true])
        func sync(_ groupsSyncs: Bool) async throws {
            let (ending, plan) = try await fetch(groupsSyncs: groupsSyncs) { $0.disturb(.fsync, .error(EIO)) }
            #expect(throws: DownloadError.self) { try ending.result.get() }
            #expect(plan.count(.fsync) == 1)
            #expect(!FileContents.exists(final))
        }

        @Test(
            "A directory that can't be opened for its sync fails the file, which has its name",
            arguments: [false, true])
        func directory(_ groupsSyncs: Bool) async throws {
            let (ending, _) = try await fetch(groupsSyncs: groupsSyncs) { $0.disturb(.open, nth: 2, .error(EMFILE)) }
            // Not "already complete" by a second look.
            #expect(throws: DownloadError.self) { try ending.result.get() }
            #expect(FileContents.difference(of: final, from: resource) == nil)
            #expect(names == ["f.bin"])
        }

        @Test("What waited for the disk is had again if it can't be named, or the failure is told")
        func recalled() async throws {
            let (ending, _) = try await fetch(groupsSyncs: true) {
                $0.disturb(.linkat, .error(EEXIST))
                // The first one proves it.
                $0.disturb(.pread, nth: 2, .error(EIO))
            }
            #expect(throws: DownloadError.self) { try ending.result.get() }
            #expect(names == [])
        }

        @Test("Whoever is told of a failure may begin again at once")
        func lockEndsWithTheDownload() async throws {
            for _ in 0..<200 {
                let (ending, _) = try await fetch(hasUnnamed: false, groupsSyncs: true) {
                    $0.disturb(.fsync, .error(EIO))
                }
                // Not later: the group that synced it may still hold it.
                _ = try PartFile.open(final + ".haul")
                #expect(throws: DownloadError.self) { try ending.result.get() }
                unlink(final + ".haul")
            }
        }

        @Test("A link at the partial's place is refused, and what it leads to is left alone")
        func plantedLink() async throws {
            let victim = directory + "/victim"
            try FileContents.write([1, 2, 3], to: victim)
            symlink(victim, final + ".haul")
            let (ending, _) = try await fetch { _ in }
            #expect(throws: DownloadError.self) { try ending.result.get() }
            #expect(try FileContents.read(victim) == [1, 2, 3])
            #expect(names == ["f.bin.haul", "victim"])
        }
    }
#endif
