import HaulCore
import HaulSystem
import Testing

@testable import Haul

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Download store")
final class DownloadStoreTests {
    private let directory: String
    private let paths: DownloadPaths
    private let thread = ThreadExecutor(name: "haul.disk")
    private let header: JournalHeader

    init() throws {
        var name = Array("/tmp/haul-store-XXXXXX".utf8CString)
        try #require(mkdtemp(&name) != nil)
        directory = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        paths = DownloadPaths(final: directory + "/a")
        let url = ResourceURL(
            scheme: "http", host: "localhost", port: 80, path: "/a", query: nil, userInfo: nil, text: "")
        header = JournalHeader(
            url: url, queryHash: nil, size: 10_000, entityTag: "\"1\"", lastModified: nil, mediaType: nil)
    }

    deinit {
        for path in [paths.final, paths.part, paths.journal, paths.journal + ".new"] { unlink(path) }
        rmdir(directory)
    }

    private func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    private func store() -> DownloadStore { DownloadStore(paths, thread: thread) }

    private func append(_ bytes: [UInt8], to writer: SegmentWriter) throws { try writer.append(bytes.span.bytes) }

    /// A store with 3,000 bytes journaled, in two ranges.
    private func begun() async throws -> (DownloadStore, [FinishedRange]) {
        let store = store()
        let part = try await store.create()
        try await store.reserve(size: 10_000)
        try await store.startJournal(header, keeping: [])
        let writers = [SegmentWriter(part: part, at: 0), SegmentWriter(part: part, at: 5000)]
        try append([UInt8](repeating: 1, count: 2000), to: writers[0])
        try append([UInt8](repeating: 2, count: 1000), to: writers[1])
        let finished = try await store.collect(from: writers)
        #expect(finished.map(\.range) == [ByteRange(0, 2000), ByteRange(5000, 6000)])
        return (store, finished)
    }

    @Test("Paths are beside the file or in the directory for temporary files, and fit")
    func names() {
        #expect(paths.part == directory + "/a.haul")
        #expect(paths.journal == directory + "/a.haul-journal")
        #expect(DownloadPaths(final: "a").part == "a.haul")
        #expect(DownloadPaths(final: "/x/a", temporaryDirectory: "/t").part == "/t/a.haul")
        #expect(DownloadPaths(final: "/x/a", temporaryDirectory: "/t/").journal == "/t/a.haul-journal")
        let long = [String(repeating: "ü", count: 127), String(repeating: "ü", count: 126) + "x"]
        let short = long.map { DownloadPaths(final: "/x/" + $0) }
        #expect(short[0].part != short[1].part)
        #expect(short.allSatisfy { $0.journal.utf8.count + 4 <= 3 + 255 })
        // The names that only one destination has stay the same from run to run.
        let apart = ["/x/a", "/y/a", "/x/" + long[0]].map { path in
            DownloadPaths(final: path, temporaryDirectory: "/t").apart
        }
        #expect(apart.map(\.?.journal) == apart.map { $0.map { DownloadPaths(final: "/t/" + name($0.part)).journal } })
        #expect(apart[0]?.part.hasPrefix("/t/a~") == true && apart[0]?.part != apart[1]?.part)
        #expect(apart.allSatisfy { $0?.apart == nil && $0.map { $0.journal.utf8.count + 4 <= 3 + 255 } == true })
        #expect(DownloadPaths(final: "/x/a").apart == nil)
    }

    /// Name of a partial, without its suffix.
    private func name(_ part: String) -> Substring {
        part[(part.lastIndex(of: "/") ?? part.startIndex)...].dropFirst().dropLast(DownloadPaths.partSuffix.count)
    }

    @Test("Ranges that haul never writes are left out: too long to be read at once, or too many")
    func implausibleJournal() async throws {
        let size: Int64 = 1 << 36
        var header = header
        header.size = size
        let store = store()
        try await store.create().truncate(size)
        let small = (0..<20_000).map { FinishedRange(ByteRange($0 * 2, $0 * 2 + 1), checksum: 7) }
        let long = FinishedRange(ByteRange(1 << 30, size), checksum: 7)
        let good = FinishedRange(ByteRange(8 << 20, 16 << 20), checksum: 7)
        await store.close()
        _ = try JournalFile.create(
            paths.journal, header: header, records: (small + [good, long]).map { .finished($0) }, sync: false)
        let next = self.store()
        let inherited = try #require(try await next.openExisting())
        #expect(inherited.finished.contains(good))
        #expect(!inherited.finished.contains(long))
        #expect(inherited.finished.count <= 4096 + 2 * Int(size >> 23))
        #expect(inherited.notice != nil)
    }

    @Test("Another tool's file has a journal as soon as it is the partial")
    func adoptedFileIsInherited() async throws {
        let other = directory + "/b"
        defer { unlink(other) }
        let bytes = [UInt8](repeating: 3, count: 4000)
        let part = try PartFile.create(other)
        try part.write(bytes.span.bytes, at: 0)
        part.unlock()
        let store = store()
        let finished = try await store.checksum(ByteRange(0, 4000), of: other)
        try await store.adopt(other, header, finished: [finished])
        await store.close()
        let inherited = try #require(try await self.store().openExisting())
        #expect(inherited.finished == [finished])
        #expect(!exists(other))
    }

    @Test("What was collected is inherited by the next run, and published")
    func resumes() async throws {
        let (store, finished) = try await begun()
        #expect(try await store.collect(from: []).isEmpty)
        await store.close()

        let next = self.store()
        let inherited = try #require(try await next.openExisting())
        #expect(inherited.header == header)
        #expect(inherited.finished == finished)
        #expect(inherited.notice == nil)
        try await next.startJournal(inherited.header, keeping: inherited.finished)
        #expect(try await next.read(ByteRange(1999, 2001)) == [1, 0])
        try await next.publish(modificationTime: 1_000_000_000, replacing: false, sync: true, size: 9000)
        #expect(try FileFacts.of(paths.final)?.size == 9000)
        #expect(!exists(paths.part) && !exists(paths.journal))
        #expect(try await self.store().openExisting() == nil)
    }

    @Test("A second store is locked out until the first lets go")
    func locks() async throws {
        let (store, _) = try await begun()
        let other = self.store()
        await #expect(throws: SystemError.self) { try await other.openExisting() }
        await #expect(throws: SystemError.self) { try await other.create() }
        try await other.discard()
        #expect(exists(paths.part) && exists(paths.journal))
        await store.close()
        #expect(try await other.openExisting() != nil)
        try await other.discard()
        #expect(!exists(paths.part) && !exists(paths.journal))
    }

    @Test("Forgotten ranges, untrustworthy content and a new start are not inherited")
    func doesNotInherit() async throws {
        var (store, finished) = try await begun()
        try await store.forget([finished[0]])
        await store.close()
        store = self.store()
        #expect(try await store.openExisting()?.finished == [finished[1]])
        try await store.startJournal(header, keeping: [finished[1]])
        try await store.markUntrustworthy()
        await store.close()
        store = self.store()
        #expect(try await store.openExisting() == nil)
        #expect(await store.notice?.contains("failed its checksum") == true)
        // The partial is locked all the same, and can be begun anew.
        #expect(await store.part != nil)
        try await store.startOver()
        try await store.startJournal(header, keeping: [])
        await store.close()
        store = self.store()
        #expect(try await store.openExisting() == nil)
        #expect(await store.notice == nil)
        #expect(try await store.part?.size() == 0)
    }

    @Test("A journal without its partial, or longer than it, does not count")
    func strayJournals() async throws {
        var (store, finished) = try await begun()
        try await store.part?.truncate(2500)
        await store.close()
        store = self.store()
        let inherited = try #require(try await store.openExisting())
        #expect(inherited.finished == [finished[0]])
        #expect(inherited.notice?.contains("shorter") == true)
        await store.close()
        unlink(paths.part)
        store = self.store()
        #expect(try await store.openExisting() == nil)
        try await store.create()
        #expect(!exists(paths.journal))
        finished = []
    }

    @Test("A journal that does not count goes when the file is published")
    func uselessJournal() async throws {
        var (store, _) = try await begun()
        await store.close()
        let journal = try FileHandle(paths.journal, .writing)
        try journal.write([UInt8](repeating: 0, count: 16).span.bytes, at: 0)
        store = self.store()
        #expect(try await store.openExisting() == nil)
        #expect(await store.notice?.contains("is not one of haul's") == true)
        try await store.publish(modificationTime: nil, replacing: false, sync: false)
        #expect(exists(paths.final) && !exists(paths.journal))
    }

    @Test("Without a journal nothing is recorded, and nothing is missing for it")
    func noJournal() async throws {
        let store = store()
        let part = try await store.create()
        let writer = SegmentWriter(part: part, at: 0)
        try append([1, 2, 3], to: writer)
        #expect(try await store.collect(from: [writer]).count == 1)
        try await store.markUntrustworthy()
        #expect(!exists(paths.journal))
        try await store.publish(modificationTime: nil, replacing: false, sync: false)
        #expect(try FileFacts.of(paths.final)?.size == 3)
    }

    @Test("A target that appeared meanwhile is left alone, and so is what was received")
    func appeared() async throws {
        let (store, _) = try await begun()
        _ = try FileHandle(paths.final, .creatingNew)
        do throws(SystemError) {
            try await store.publish(modificationTime: nil, replacing: false, sync: false)
            Issue.record("replaced")
        } catch {
            #expect(error.isExists)
        }
        await store.close()
        #expect(try await self.store().openExisting() != nil)
        try await self.store().publish(modificationTime: nil, replacing: true, sync: false)
    }

    @Test("A journal of very many records is written anew, and says the same")
    func compaction() async throws {
        let store = store()
        try await store.create()
        var big = header
        big.size = 1 << 30
        try await store.startJournal(big, keeping: [])
        try await store.part?.truncate(1 << 30)
        for start in 0..<40 {
            let ranges = (0..<1000).map { index -> FinishedRange in
                let lower = Int64(start * 1000 + index) * 100
                return FinishedRange(ByteRange(lower, lower + 100), checksum: 0)
            }
            try await store.record(ranges)
        }
        let length = try #require(try FileFacts.of(paths.journal)?.size)
        #expect(length < 40_000 * 32 / 2)
        await store.close()
        let inherited = try #require(try await self.store().openExisting())
        #expect(ByteRangeSet(inherited.finished.map(\.range)).ranges == [ByteRange(0, 4_000_000)])
    }

    #if DEBUG
        private func withFaults(_ prepare: (FaultPlan) -> Void, _ body: () async throws -> Void) async throws {
            let plan = FaultPlan(for: directory)
            prepare(plan)
            plan.install()
            defer { plan.remove() }
            try await body()
        }

        @Test("A full disk: what was written is journaled, and returned when there is room")
        func fullDisk() async throws {
            let (store, _) = try await begun()
            let part = try #require(await store.part)
            let writers = [SegmentWriter(part: part, at: 2000), SegmentWriter(part: part, at: 6000)]
            for writer in writers { try append([UInt8](repeating: 3, count: 100), to: writer) }
            try await withFaults {
                $0.disturb(.pwrite, .error(ENOSPC))
            } _: {
                do throws(SystemError) {
                    _ = try await store.collect(from: writers)
                    Issue.record("no error")
                } catch {
                    #expect(error.isNoSpace)
                }
            }
            let found = try #require(try JournalFile.read(paths.journal)?.replay)
            #expect(found.finished.contains { $0.range == ByteRange(5000, 6100) })
            let ranges = try await store.collect(from: writers).map(\.range)
            #expect(Set(ranges) == [ByteRange(2000, 2100), ByteRange(6000, 6100)])
        }

        @Test("A journal that cannot be written loses no range")
        func journalFails() async throws {
            let (store, _) = try await begun()
            let part = try #require(await store.part)
            let writer = SegmentWriter(part: part, at: 2000)
            try append([UInt8](repeating: 3, count: 100), to: writer)
            try await withFaults {
                $0.disturb(.pwrite, nth: 2, .error(EIO))
            } _: {
                await #expect(throws: SystemError.self) { try await store.collect(from: [writer]) }
            }
            #expect(try await store.collect(from: [writer]).map(\.range) == [ByteRange(2000, 2100)])
            #expect(
                try JournalFile.read(paths.journal)?.replay?.finished.map(\.range)
                    == [ByteRange(0, 2100), ByteRange(5000, 6000)])
        }

        @Test("After a failed sync nothing counts")
        func failedSync() async throws {
            let (store, _) = try await begun()
            try await withFaults {
                $0.disturb(.fsync, .error(EIO))
            } _: {
                await #expect(throws: SystemError.self) {
                    try await store.publish(modificationTime: nil, replacing: false, sync: true)
                }
            }
            #expect(!exists(paths.final))
            await store.close()
            let next = self.store()
            #expect(try await next.openExisting() == nil)
        }
    #endif
}
