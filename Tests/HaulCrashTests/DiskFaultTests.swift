import Glibc
import HaulCore
import HaulOrigin
import HaulSystem
import HaulTestSupport
import Testing

@testable import Haul

#if DEBUG
    /// File systems that refuse, at every place where haul changes something: the right error, nothing lost that can be
    /// kept, nothing under the final name, and with the trouble gone the same download goes on.
    @Suite("Disk faults", .temporaryDirectory, .timeLimit(.minutes(10)))
    struct DiskFaultTests {
        /// Above the size from which room is reserved.
        private static let resource = OriginResource("/f", size: 1_300_001, seed: 3)
        private static let shortage = [ENOSPC, EDQUOT, EFBIG]

        private var directory: String { TemporaryDirectory.current }
        private var final: String { directory + "/f" }

        private func fetch(connectionsUntilLoss limit: Int = .max) async throws -> EngineBench.Ending {
            var resource = Self.resource
            resource.behaviors = [.closesEvery(bytes: 300_000)]
            let network = ScriptedTransport(
                OriginConfiguration([resource]), time: .continuous(speed: 1000),
                connecting: { _, attempt in attempt > limit ? .brokenBeforeHead(detail: "no more") : nil })
            let bench = EngineBench(wire: .scripted, connections: 1, retries: limit == .max ? 5 : 1, speed: 1000)
            let (result, events) = try await bench.fetch("http://origin.test/f", to: final, over: network)
            return EngineBench.Ending(result: result, events: events, requests: network.requests, path: final)
        }

        private func fetch(with plan: FaultPlan) async throws -> EngineBench.Ending {
            plan.install()
            defer { plan.remove() }
            return try await fetch()
        }

        /// What the journal says is on the disk, and is.
        private func checkJournal() throws {
            let path = final + ".haul-journal"
            guard FileContents.exists(path) else { return }
            let bytes = try FileContents.read(path)
            let replay = try JournalReplay(bytes.span)
            for finished in replay.finished {
                let range = finished.range.lowerBound..<finished.range.upperBound
                #expect(FileContents.difference(of: final + ".haul", from: Self.resource.content, in: range) == nil)
            }
        }

        private func checkGoesOn(_ site: FaultSite) async throws {
            let ending = try await fetch()
            let receipt = try ending.result.get()
            #expect(FileContents.difference(of: final, from: Self.resource) == nil)
            #expect(FileContents.names(in: directory) == ["f"])
            if site.keepsBytes { #expect(receipt.resumed > 0, "\(ending.events)") }
        }

        private func check(_ site: FaultSite, _ number: Int32) async throws {
            if site.goesOnFromPartial { _ = try await fetch(connectionsUntilLoss: 2) }
            let plan = FaultPlan(for: directory + "/", ending: site.path)
            plan.disturb(site.call, nth: site.nth, times: .max, .error(number))
            let ending = try await fetch(with: plan)
            #expect(plan.count(site.call) >= site.nth, "\(site): the call was not made")
            guard site.weight != .goesOn else {
                _ = try ending.result.get()
                #expect(FileContents.difference(of: final, from: Self.resource) == nil)
                return
            }
            guard case .failure(let error) = ending.result else {
                Issue.record("\(site): no error")
                return
            }
            #expect(error.code == (Self.shortage.contains(number) ? .diskFull : .fileSystem), "\(error.message)")
            #expect(error.message.contains(directory), "\(error.message)")
            #expect(FileContents.exists(final) == (site.weight == .failsNamed))
            try checkJournal()
            try await checkGoesOn(site)
        }

        @Test("At every place, every error", arguments: FaultSite.all, shortage + [EIO])
        func everywhere(_ site: FaultSite, _ number: Int32) async throws { try await check(site, number) }

        @Test("No room to reserve is told before the first byte; that nothing can be reserved is no error")
        func reserving() async throws {
            for number in Self.shortage {
                try await check(FaultSite.reserving, number)
                unlink(final)
            }
            for number in [EOPNOTSUPP, ENOSYS, EINVAL, EIO] {
                var site = FaultSite.reserving
                site.weight = .goesOn
                try await check(site, number)
                unlink(final)
            }
        }

        @Test("Without fallocate the size is set, and a limit on it is told", arguments: [EFBIG, EDQUOT, ENOSPC])
        func sizes(number: Int32) async throws {
            let plan = FaultPlan(for: directory + "/", ending: "/f.haul")
            plan.disturb(.fallocate, times: .max, .error(EOPNOTSUPP))
            plan.disturb(.ftruncate, times: .max, .error(number))
            let ending = try await fetch(with: plan)
            #expect(throws: DownloadError.self) { try ending.result.get() }
            #expect(!FileContents.exists(final))
            try await checkGoesOn(FaultSite.reserving)
        }

        @Test("A file system without locks goes without", arguments: [ENOLCK, EOPNOTSUPP, ENOSYS])
        func locking(number: Int32) async throws { try await check(FaultSite.locking, number) }

        @Test("What can't be read back is an error, and nothing gets the name")
        func reading() async throws {
            try await check(FaultSite(name: "reading back", call: .pread, path: "/f.haul"), EIO)
        }

        @Test("A write that falls short goes on where it stopped", arguments: [1, 511, 4096])
        func shortWrites(length: Int) async throws {
            let plan = FaultPlan(for: directory + "/")
            plan.disturb(.pwrite, nth: 2, times: 40, .short(length))
            let ending = try await fetch(with: plan)
            _ = try ending.result.get()
            #expect(FileContents.difference(of: final, from: Self.resource) == nil)
            // The final check would find a gap, and have it fetched again.
            let isNotice = ending.events.map { if case .notice = $0 { true } else { false } }
            #expect(!isNotice.contains(true), "\(ending.events)")
        }
    }
#endif
