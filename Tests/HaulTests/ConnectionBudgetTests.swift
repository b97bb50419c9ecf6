import Glibc
import HaulTestSupport
import Testing

@testable import Haul

@Suite(.temporaryDirectory, .timeLimit(.minutes(10))) struct ConnectionBudgetTests {
    private func budget(downloads: Int, host: Int, all: Int = 64) -> ConnectionBudget {
        var limits = DownloaderOptions()
        limits.maximumConcurrentDownloads = downloads
        limits.maximumConnectionsPerHost = host
        limits.maximumConnections = all
        return ConnectionBudget(limits)
    }

    @Test func oneDownloadMayHaveAll() async throws {
        let budget = budget(downloads: 4, host: 8)
        let lease = try #require(await budget.lease(for: "a"))
        #expect(lease.adjust(wanted: 16, inUse: 1) == 8)
        #expect(lease.adjust(wanted: 3, inUse: 5) == 5)
        #expect(lease.adjust(wanted: 3, inUse: 2) == 3)
        #expect(lease.adjust(wanted: 1, inUse: 0) == 1)
    }

    @Test func sharesAreEqual() async throws {
        let budget = budget(downloads: 4, host: 8)
        let first = try #require(await budget.lease(for: "a"))
        let second = try #require(await budget.lease(for: "a"))
        #expect(first.adjust(wanted: 8, inUse: 1) == 4)
        #expect(second.adjust(wanted: 8, inUse: 1) == 4)
        second.release()
        second.release()
        #expect(first.adjust(wanted: 8, inUse: 4) == 8)
        // Expected downloads count before they begin.
        budget.expect(100)
        #expect(first.adjust(wanted: 8, inUse: 0) == 2)
    }

    /// What one batch expects is not what another one does, and stays when that one has no more to begin.
    @Test func whatSeveralBatchesExpectAddsUp() async throws {
        let budget = budget(downloads: 8, host: 24)
        let lease = try #require(await budget.lease(for: "a"))
        budget.expect(2)
        #expect(lease.adjust(wanted: 24, inUse: 0) == 12)
        budget.expect(4)
        #expect(lease.adjust(wanted: 24, inUse: 0) == 4)
        // More than may be at once will not be.
        budget.expect(100)
        #expect(budget.expected == 8 && lease.adjust(wanted: 24, inUse: 0) == 3)
        budget.expect(-100)
        budget.expect(-2)
        #expect(budget.expected == 4 && lease.adjust(wanted: 24, inUse: 0) == 6)
        budget.expect(-4)
        #expect(budget.expected == 0 && lease.adjust(wanted: 24, inUse: 0) == 24)
    }

    /// Two batches that differ in when their last request comes.
    @Test func aBatchThatEndsTakesNothingFromAnother() async throws {
        var limits = DownloaderOptions()
        limits.maximumConcurrentDownloads = 6
        let downloader = Downloader(options: limits)
        let (requests, more) = AsyncStream.makeStream(of: DownloadRequest.self)
        more.yield(DownloadRequest("no address", to: "x"))
        let open = downloader.download(contentsOf: requests).makeAsyncIterator()
        #expect(await open.next() != nil)
        for await _ in downloader.download(contentsOf: [DownloadRequest("no address", to: "y")]) {}
        #expect(downloader.budget.expected == 6)
        more.finish()
        #expect(await open.next() == nil)
        #expect(downloader.budget.expected == 0)
    }

    @Test func whoWaitsIsServedInOrder() async throws {
        let budget = budget(downloads: 1, host: 8)
        let first = try #require(await budget.lease(for: "a"))
        let second = Task { await budget.lease(for: "a") }
        let third = Task { await budget.lease(for: "b") }
        third.cancel()
        #expect(await third.value == nil)
        first.release()
        let lease = try #require(await second.value)
        lease.release()
        #expect(await budget.lease(for: "c") != nil)
    }

    @Test func aFullHostHoldsUpNoOther() async throws {
        let budget = budget(downloads: 4, host: 1)
        let first = try #require(await budget.lease(for: "a"))
        let second = Task { await budget.lease(for: "a") }
        #expect(await budget.lease(for: "b") != nil)
        first.release()
        #expect(await second.value != nil)
    }

    @Test func namesAreGivenOnce() {
        let registry = NameRegistry()
        #expect(registry.claim("d/a.txt") == "d/a.txt")
        #expect(registry.claim("./d//a.txt") == "./d//a (2).txt")
        #expect(registry.claim("d/a.txt") == "d/a (3).txt")
        #expect(registry.claim("a.txt") == "a.txt")
        let name = BatchName("d/a.txt", in: registry)
        #expect(name.path == "d/a (4).txt")
        #expect(name.change(to: "d/a.txt") == "d/a (4).txt")
        #expect(name.change(to: "d/b") == "d/b")
        #expect(registry.claim("d/b") == "d/b (2)")
    }

    /// However its directory is spelled, and with what stands beside it until it is finished.
    @Test func aNameIsOneHoweverItIsSpelled() throws {
        let directory = TemporaryDirectory.current
        for name in ["d", "e"] { mkdir("\(directory)/\(name)", 0o700) }
        symlink("d", "\(directory)/link")
        let registry = NameRegistry()
        #expect(registry.claim("\(directory)/d/q") == "\(directory)/d/q")
        #expect(registry.claim("\(directory)/e/../d/q") == "\(directory)/e/../d/q (2)")
        #expect(registry.claim("\(directory)/link/q") == "\(directory)/link/q (3)")
        #expect(registry.claim("\(directory)/e/q") == "\(directory)/e/q")
        registry.release("\(directory)/link/q")
        #expect(registry.claim("\(directory)/d/q") == "\(directory)/d/q")
        for (first, second) in [("z.haul", "z"), ("y", "y.haul"), ("x.haul-journal", "x"), ("w", "w.haul-journal")] {
            #expect(registry.claim("\(directory)/\(first)") == "\(directory)/\(first)")
            #expect(registry.claim("\(directory)/\(second)") == NameRegistry.numbered("\(directory)/\(second)", 2))
        }
    }

    @Test func whoWaitsForTheDiskGivesItsPlaceToAnother() async throws {
        var limits = DownloaderOptions()
        limits.maximumConcurrentDownloads = 1
        let budget = ConnectionBudget(limits, mostAside: 1)
        let first = try #require(await budget.lease(for: "a"))
        first.stepAside()
        #expect(budget.held == 0)
        let second = try #require(await budget.lease(for: "a"))
        // One more would keep too many files open.
        second.stepAside()
        #expect(budget.held == 1)
        second.release()
        first.release()
        let third = try #require(await budget.lease(for: "a"))
        third.stepAside()
        #expect(budget.held == 0)
    }

    /// Small files may wait to be written behind the network, but not as many as there are.
    @Test func whoHoldsTooMuchKeepsItsPlace() async throws {
        var limits = DownloaderOptions()
        limits.maximumConcurrentDownloads = 1
        let budget = ConnectionBudget(limits)
        var leases: [ConnectionLease] = []
        for _ in 0..<16 {
            let lease = try #require(await budget.lease(for: "a"))
            lease.stepAside(holding: 256 << 10)
            leases.append(lease)
        }
        #expect(budget.buffered == 4 << 20)
        let last = try #require(await budget.lease(for: "a"))
        last.stepAside(holding: 1)
        #expect(budget.held == 1)
        // One is written, and waits for the disk only.
        leases[0].holds(0)
        #expect(budget.buffered == 15 * (256 << 10) + DownloaderOptions.bufferedBytesPerConnection)
        last.stepAside(holding: 1)
        #expect(budget.held == 0)
        for lease in leases + [last] { lease.release() }
        #expect(budget.buffered == 0)
    }

    /// What all buffers may take counts for these too.
    @Test func whatWaitsToBeWrittenIsPartOfTheBuffers() async throws {
        var limits = DownloaderOptions()
        limits.maximumConcurrentDownloads = 2
        limits.maximumBufferedBytes = 2 * DownloaderOptions.bufferedBytesPerConnection
        let budget = ConnectionBudget(limits)
        let first = try #require(await budget.lease(for: "a"))
        let second = try #require(await budget.lease(for: "a"))
        first.stepAside(holding: 1000)
        #expect(budget.held == 2)
        second.release()
        first.stepAside(holding: 1000)
        #expect(budget.buffered == 1000)
        // It leaves no room for a second connection until it is written.
        let third = try #require(await budget.lease(for: "a"))
        #expect(third.adjust(wanted: 2, inUse: 1) == 1)
        first.holds(0)
        #expect(third.adjust(wanted: 2, inUse: 1) == 2)
        third.release()
        first.release()
        #expect(budget.buffered == 0)
    }

    /// Who has to fetch more after all waits for its turn like others.
    @Test func whoComesBackWaits() async throws {
        let budget = budget(downloads: 1, host: 1)
        let first = try #require(await budget.lease(for: "a"))
        first.stepAside(holding: 1000)
        // The host is another number's meanwhile.
        let other = try #require(await budget.lease(for: "b"))
        let back = Task { await first.comeBack(LeaseTicket(.normal)) }
        while budget.waiting == 0 { await Task.yield() }
        // Its bytes are in memory all the while.
        #expect(budget.buffered == DownloaderOptions.bufferedBytesPerConnection + 1000)
        other.release()
        await back.value
        #expect(budget.buffered == DownloaderOptions.bufferedBytesPerConnection)
        #expect(first.adjust(wanted: 4, inUse: 1) == 1)
        // Who never went has nothing to come back to.
        await first.comeBack(LeaseTicket(.normal))
        #expect(budget.held == 1)
        first.release()
        #expect(budget.held == 0)
    }

    @Test func whatAnOwnerWaitsForIsGivenUpAtOnce() async throws {
        let budget = budget(downloads: 1, host: 8)
        let (mine, others) = (Counter(), Counter())
        let first = try #require(await budget.lease(for: "a"))
        let (me, other) = (Counter(), Counter())
        for host in ["a", "b", "a"] {
            budget.ask(for: host, .normal, owner: me) { #expect($0 == nil && mine.next(1) < 3) }
            budget.ask(for: host, .normal, owner: other) { lease in
                #expect(lease != nil)
                others.add(1)
            }
        }
        #expect(budget.waiting == 6)
        budget.giveUp(of: me)
        #expect(mine.value == 3 && budget.waiting == 3 && others.value == 0)
        budget.giveUp(of: me)
        // Each lease goes with its last reference, and lets the next one in.
        first.release()
        #expect(others.value == 3 && budget.waiting == 0 && budget.held == 0)
    }
}
