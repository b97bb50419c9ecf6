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

@Suite("Sync group")
struct SyncGroupTests {
    private let scratch: ScratchDirectory
    private let group = SyncGroup(thread: ThreadExecutor(name: "haul.sync"))

    init() throws { scratch = try ScratchDirectory() }

    private func isToBeNamed(_ number: Int) -> Bool { number % 3 == 2 }

    private func part(_ number: Int) throws -> PartFile {
        let part =
            try isToBeNamed(number)
            ? PartFile.toBeNamed(scratch("\(number)"), mode: 0o640) : PartFile.create(scratch("\(number).haul"))
        try part.write([UInt8](repeating: UInt8(number), count: 1000 + number).span.bytes, at: 0)
        return part
    }

    /// Publishes files all at once.
    ///
    /// - Returns: the error of each, nil for success.
    private func publish(_ count: Int, through group: SyncGroup? = nil) async throws -> [Int: SystemError?] {
        try await publish(0..<count, through: group)
    }

    private func publish(_ numbers: Range<Int>, through group: SyncGroup?) async throws -> [Int: SystemError?] {
        let parts = try numbers.map { try part($0) }
        let (group, scratch) = (group ?? self.group, scratch)
        return await withTaskGroup(of: (Int, SystemError?).self) { tasks in
            for (number, part) in zip(numbers, parts) {
                tasks.addTask {
                    do throws(SystemError) {
                        try await group.publish(
                            part, as: scratch("\(number)"), modificationTime: 1_000_000_000, replacing: false,
                            mode: 0o640)
                        return (number, nil)
                    } catch {
                        return (number, error)
                    }
                }
            }
            return await tasks.reduce(into: [:]) { $0[$1.0] = .some($1.1) }
        }
    }

    @Test("Each file gets its name, mode and time", arguments: [1, 3, 40])
    func publishesAll(count: Int) async throws {
        let errors = try await publish(count)
        #expect(errors.count == count)
        #expect(errors.values.allSatisfy { $0 == nil })
        #expect(scratch.entries == (0..<count).map(String.init).sorted())
        for number in 0..<count {
            #expect(try scratch.read("\(number)") == [UInt8](repeating: UInt8(number), count: 1000 + number))
            #expect(scratch.mode("\(number)") == 0o640)
            #expect(try FileFacts.of(scratch("\(number)"))?.modificationTime == 1_000_000_000)
        }
    }

    @Test("A name that is taken fails alone, and stays as it is")
    func oneFails() async throws {
        try scratch.write("3", [9])
        let errors = try await publish(8)
        #expect(errors[3]??.isExists == true)
        #expect(errors.values.count { $0 == nil } == 7)
        #expect(try scratch.read("3") == [9])
        #expect(Set(scratch.entries) == Set((0..<8).map(String.init) + ["3.haul"]))
    }

    @Test("Who comes alone does not wait for others", .timeLimit(.minutes(1)))
    func aloneAtOnce() async throws {
        let group = SyncGroup(thread: ThreadExecutor(name: "haul.sync"), gathering: .seconds(3600))
        #expect(try await publish(1, through: group)[0] == .some(nil))
    }

    #if DEBUG
        @Test("Those that follow each other closely share a round")
        func fewRounds() async throws {
            let group = SyncGroup(thread: ThreadExecutor(name: "haul.sync"), gathering: .seconds(2))
            _ = try await publish(1, through: group)
            let recording = OperationRecording(for: scratch.path)
            recording.install()
            defer { recording.remove() }
            let errors = try await publish(1..<10, through: group)
            #expect(errors.count == 9 && errors.values.allSatisfy { $0 == nil })
            let rounds = recording.operations.count {
                if case .syncBegan(_, _, .everything) = $0 { true } else { false }
            }
            // Of the directory; the files were synced with their file system.
            #expect(rounds == 1)
        }

        /// What a round must do in which order, for each file.
        private func check(_ operations: [FileOperation], _ number: Int) throws {
            let (part, final) = (scratch("\(number).haul"), scratch("\(number)"))
            let inode = operations.lazy.compactMap { operation -> UInt64? in
                switch operation {
                case .create(let file, part), .name(let file, final): file
                default: nil
                }
            }.first
            let file = try #require(inode)
            func first(_ isWanted: (FileOperation) -> Bool) throws -> Int {
                let found = operations.firstIndex(where: isWanted)
                return try #require(found, "\(operations)")
            }
            var dressed = [try first { if case .setModificationTime(file, _) = $0 { true } else { false } }]
            let named: Int
            if isToBeNamed(number) {
                named = try first { $0 == .name(file: file, target: final) }
            } else {
                dressed.append(try first { if case .setMode(file, _) = $0 { true } else { false } })
                named = try first { $0 == .rename(source: part, target: final) }
            }
            // One sync of the file or of all, that begins when it is dressed and ends before it has its name.
            let began = operations[..<named].lastIndex { operation in
                switch operation {
                case .syncBegan(file, _, .everything), .syncBegan(_, _, .fileSystem): true
                default: false
                }
            }
            #expect(dressed.allSatisfy { $0 < began ?? 0 }, "\(operations)")
            guard let began, case .syncBegan(let synced, _, let promise) = operations[began] else { return }
            let ended = try first {
                if case .syncEnded(synced, _, promise, succeeded: true) = $0 { true } else { false }
            }
            #expect(ended < named)
            let directory = try #require(
                operations.lastIndex { if case .syncBegan(_, _, .everything) = $0 { true } else { false } })
            #expect(directory > named)
        }

        @Test(
            "No name appears before data, mode and time are on the disk, and no answer before the name is",
            arguments: [1, 8], [1, 4, 100])
        func order(count: Int, fewest: Int) async throws {
            let recording = OperationRecording(for: scratch.path)
            recording.install()
            defer { recording.remove() }
            let group = SyncGroup(thread: ThreadExecutor(name: "haul.sync"), fewest: fewest)
            let errors = try await publish(count, through: group)
            #expect(errors.values.allSatisfy { $0 == nil })
            let operations = recording.operations
            for number in 0..<count { try check(operations, number) }
            let whole = operations.count { if case .syncBegan(_, _, .fileSystem) = $0 { true } else { false } }
            if fewest == 1 { #expect(whole > 0) }
            if fewest == 100 { #expect(whole == 0) }
        }

        @Test("After a failed sync the file keeps its partial's name, or has none", arguments: [1, 8])
        func failedSync(count: Int) async throws {
            let plan = FaultPlan(for: scratch.path)
            plan.disturb(.syncfs, times: 100, .error(EIO))
            plan.disturb(.fsync, times: 100, .error(EIO))
            plan.install()
            defer { plan.remove() }
            let errors = try await publish(count)
            for (number, error) in errors {
                #expect(error?.number == EIO && error?.call == .fsync)
                #expect(error?.path == scratch(isToBeNamed(number) ? "\(number)" : "\(number).haul"))
            }
            let left = (0..<count).filter { !isToBeNamed($0) }
            #expect(scratch.entries == left.map { "\($0).haul" }.sorted())
        }
    #endif
}
