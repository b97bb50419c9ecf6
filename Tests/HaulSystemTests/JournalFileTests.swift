import HaulCore
import HaulSystem
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Journal file")
struct JournalFileTests {
    private let scratch: ScratchDirectory
    private let path: String
    private let header: JournalHeader

    init() throws {
        scratch = try ScratchDirectory()
        path = scratch("a.haul-journal")
        let url = ResourceURL(
            scheme: "http", host: "localhost", port: 80, path: "/a", query: nil, userInfo: nil, text: "")
        header = JournalHeader(
            url: url, queryHash: nil, size: 1000, entityTag: "\"1\"", lastModified: nil, mediaType: nil)
    }

    private func range(_ lower: Int64, _ upper: Int64) -> FinishedRange {
        FinishedRange(ByteRange(lower, upper), checksum: UInt32(lower))
    }

    @Test("What is appended is replayed, in this run and the next")
    func appends() throws {
        var journal = try JournalFile.create(path, header: header, records: [.finished(range(0, 10))], sync: true)
        try journal.append([.finished(range(20, 30)), .finished(range(40, 50))])
        try journal.append([])
        #expect(scratch.mode("a.haul-journal") == 0o600)
        #expect(scratch.entries == ["a.haul-journal"])
        var replay = try #require(try JournalFile.read(path)?.replay)
        #expect(replay.header == header)
        #expect(replay.finished == [range(0, 10), range(20, 30), range(40, 50)])
        var again = try JournalFile.open(path, after: replay)
        try again.append([.forget(ByteRange(20, 21)), .finished(range(60, 70))])
        replay = try #require(try JournalFile.read(path)?.replay)
        #expect(replay.finished == [range(0, 10), range(40, 50), range(60, 70)])
    }

    @Test("A directory in the way is no output that exists", arguments: ["a.haul-journal", "a.haul-journal.new"])
    func directoryInTheWay(_ name: String) throws {
        mkdir(scratch(name), 0o755)
        let error = #expect(throws: SystemError.self) {
            _ = try JournalFile.create(path, header: header, records: [], sync: false)
        }
        #expect(error?.kind == .refused)
        #expect(error?.message.contains(scratch(name)) == true, "\(error?.message ?? "")")
        #expect(throws: SystemError.self) { try JournalFile.remove(path) }
        try scratch.write("b", [1])
        mkdir(scratch("b.haul"), 0o755)
        let adoption = #expect(throws: SystemError.self) { _ = try PartFile.adopt(scratch("b"), as: scratch("b.haul")) }
        #expect(adoption?.kind == .refused)
    }

    @Test("A torn tail is cut on opening, whatever its length", arguments: [1, 16, 31, 33, 100])
    func tornTail(length: Int) throws {
        var journal = try JournalFile.create(path, header: header, records: [.finished(range(0, 10))], sync: false)
        try journal.append([.finished(range(10, 20))])
        let whole = try scratch.read("a.haul-journal")
        try scratch.write("a.haul-journal", whole + [UInt8](repeating: 0xEE, count: length))
        let found = try #require(try JournalFile.read(path))
        #expect(found.problem == "is damaged at its end")
        var again = try JournalFile.open(path, after: try #require(found.replay))
        try again.append([.finished(range(30, 40))])
        let now = try #require(try JournalFile.read(path))
        #expect(now.problem == nil)
        #expect(now.replay?.finished.map(\.range) == [ByteRange(0, 20), ByteRange(30, 40)])
    }

    @Test("Planted files are told and not used")
    func planted() throws {
        #expect(try JournalFile.read(path) == nil)
        _ = try JournalFile.create(scratch("real"), header: header, records: [], sync: false)
        symlink(scratch("real"), scratch("symbolic"))
        link(scratch("real"), scratch("hard"))
        mkfifo(scratch("fifo"), 0o600)
        mkdir(scratch("directory"), 0o700)
        try scratch.write("shared", [], mode: 0o602)
        try scratch.write("foreign", Array("not a journal at all".utf8))
        try scratch.write("empty", [])
        for name in ["symbolic", "hard", "fifo", "directory", "shared", "foreign", "empty"] {
            let found = try #require(try JournalFile.read(scratch(name)))
            #expect(found.replay == nil, "\(name)")
            #expect(found.problem != nil, "\(name)")
        }
    }

    @Test("A sparse journal of a terabyte is not read")
    func huge() throws {
        _ = try JournalFile.create(path, header: header, records: [], sync: false)
        try FileHandle(path, .writing).resize(1 << 40)
        #expect(try JournalFile.read(path)?.problem == "is too long to be one of haul's")
    }

    @Test("A journal longer than one piece is read as a whole, whatever is damaged in it")
    func pieces() throws {
        var journal = try JournalFile.create(path, header: header, records: [], sync: false)
        for _ in 0..<100 {
            try journal.append((0..<1000).map { .finished(range($0 % 500 * 2, $0 % 500 * 2 + 1)) })
        }
        let found = try #require(try JournalFile.read(path))
        #expect(found.problem == nil)
        #expect(found.replay?.goodLength == Int(journal.length))
        #expect(found.replay?.finished.count == 500)
        let handle = try FileHandle(path, .writing)
        try handle.resize(200 << 20)
        let sparse = try #require(try JournalFile.read(path))
        #expect(sparse.problem == "is damaged at its end")
        #expect(sparse.replay?.goodLength == Int(journal.length))
        try handle.write(bytes(1).span.bytes, at: 2_000_000)
        let flipped = try #require(try JournalFile.read(path))
        #expect(flipped.problem == "is damaged: a record does not count")
        #expect(flipped.replay?.goodLength == Int(journal.length))
    }

    @Test("A link in the temporary name's place is not followed")
    func plantedTemporary() throws {
        try scratch.write("victim", [1])
        symlink(scratch("victim"), path + ".new")
        _ = try JournalFile.create(path, header: header, records: [], sync: false)
        #expect(try scratch.read("victim") == [1])
        #expect(scratch.entries == ["a.haul-journal", "victim"])
    }

    @Test("Removal takes what a crash left, and only what is this journal's")
    func removes() throws {
        let journal = try JournalFile.create(path, header: header, records: [], sync: false)
        rename(path, path + ".new")
        _ = try JournalFile.create(scratch("other"), header: header, records: [], sync: false)
        rename(scratch("other"), path)
        try journal.removeIfNamed()
        #expect(scratch.entries == ["a.haul-journal", "a.haul-journal.new"])
        try JournalFile.remove(path)
        try JournalFile.remove(path)
        #expect(scratch.entries.isEmpty)
    }

    #if DEBUG
        @Test(
            "Whatever fails while it is replaced, the old journal stays",
            arguments: [SystemCall.open, .pwrite, .fdatasync, .rename], [ENOSPC, EIO])
        func failedReplacement(call: SystemCall, number: Int32) throws {
            _ = try JournalFile.create(path, header: header, records: [.finished(range(0, 10))], sync: false)
            withFaults(in: scratch) {
                $0.disturb(call, .error(number))
            } _: { _ in
                let error = systemError {
                    _ = try JournalFile.create(path, header: header, records: [], sync: true)
                }
                #expect(error?.number == number)
            }
            #expect(try JournalFile.read(path)?.replay?.finished == [range(0, 10)])
            #expect(scratch.entries == ["a.haul-journal"])
        }

        @Test("Half a record on a full disk is written over by the next append")
        func fullDisk() throws {
            var journal = try JournalFile.create(path, header: header, records: [], sync: false)
            withFaults(in: scratch) {
                $0.disturb(.pwrite, .short(40))
                $0.disturb(.pwrite, .error(ENOSPC))
            } _: { _ in
                let records = [JournalRecord.finished(range(0, 10)), .finished(range(20, 30))]
                do throws(SystemError) {
                    try journal.append(records)
                    Issue.record("no error")
                } catch {
                    #expect(error.isNoSpace)
                }
            }
            let torn = try #require(try JournalFile.read(path))
            #expect(torn.replay?.finished == [range(0, 10)])
            #expect(torn.problem != nil)
            try journal.append([.finished(range(40, 50))])
            #expect(try JournalFile.read(path)?.replay?.finished == [range(40, 50)])
        }
    #endif
}
