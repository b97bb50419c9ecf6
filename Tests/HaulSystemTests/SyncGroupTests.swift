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

    private func part(_ number: Int) throws -> PartFile {
        let part = try PartFile.create(scratch("\(number).haul"))
        try part.write([UInt8](repeating: UInt8(number), count: 1000 + number).span.bytes, at: 0)
        return part
    }

    /// Publishes files all at once.
    ///
    /// - Returns: the error of each, nil for success.
    private func publish(_ count: Int) async throws -> [Int: SystemError?] {
        let parts = try (0..<count).map { try part($0) }
        let (group, scratch) = (group, scratch)
        return await withTaskGroup(of: (Int, SystemError?).self) { tasks in
            for (number, part) in parts.enumerated() {
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

    #if DEBUG
        @Test(
            "No name appears before the data are on the disk, and no answer comes before the name is",
            arguments: [1, 8])
        func order(count: Int) async throws {
            let plan = FaultPlan(for: scratch.path)
            plan.install()
            defer { plan.remove() }
            _ = try await publish(count)
            let steps: Set<SystemCall> = [.fchmod, .futimens, .fdatasync, .syncfs, .renameat2, .fsync]
            let trace = plan.trace.filter(steps.contains)
            #expect(trace.count { $0 == .renameat2 } == count)
            var dressed = 0
            var synced = 0
            var named = 0
            for call in trace {
                switch call {
                case .futimens: dressed += 1
                case .fdatasync: synced += 1
                case .syncfs: synced = dressed
                case .renameat2:
                    named += 1
                    #expect(named <= synced)
                default: break
                }
            }
            #expect(trace.last == .fsync)
        }

        @Test("After a failed sync the file keeps its partial's name", arguments: [1, 8])
        func failedSync(count: Int) async throws {
            let plan = FaultPlan(for: scratch.path)
            plan.disturb(.syncfs, times: 100, .error(EIO))
            plan.disturb(.fdatasync, times: 100, .error(EIO))
            plan.install()
            defer { plan.remove() }
            let errors = try await publish(count)
            #expect(errors.values.allSatisfy { $0?.number == EIO && $0?.call == .fdatasync })
            #expect(scratch.entries == (0..<count).map { "\($0).haul" }.sorted())
        }
    #endif
}
