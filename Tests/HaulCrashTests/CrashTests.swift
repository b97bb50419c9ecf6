import Glibc
import HaulTestSupport
import Testing

#if DEBUG
    /// Power cuts: whatever the disk took of a run that ends anywhere, the same command comes to the right bytes, and no
    /// wrong one is ever under the final name.
    ///
    /// `HAUL_CRASH_STATES` says how many states to go through, `HAUL_CRASH_SEED` goes through those of one seed. A seed
    /// decides everything but how the engine's threads take turns, so its scenario is recorded several times.
    @Suite("Power cuts", .inTurn, .timeLimit(.minutes(10)))
    struct CrashTests {
        private static func number(_ variable: String) -> UInt64? {
            getenv(variable).flatMap { UInt64(String(cString: $0)) }
        }

        /// States in an ordinary run of the tests.
        private static let usualStates: UInt64 = 400
        /// Explorations at once, as far as there are processors.
        private static let width: UInt64 = 4

        private func again(_ seed: UInt64) async throws {
            let scenario = CrashScenario.all[Int(seed % UInt64(CrashScenario.all.count))]
            for _ in 0..<20 { try await CrashExplorer([scenario]).explore(seed) }
        }

        @Test("Every state that a power cut leaves ends in the right bytes")
        func everyState() async throws {
            if let seed = Self.number("HAUL_CRASH_SEED") { return try await again(seed) }
            let explorer = try await CrashExplorer()
            let wanted = Int(Self.number("HAUL_CRASH_STATES") ?? Self.usualStates)
            let clock = ContinuousClock()
            let start = clock.now
            let failures = await withTaskGroup(of: [String].self) { group in
                for worker in 0..<Self.width {
                    group.addTask {
                        var failures: [String] = []
                        var seed = worker
                        while explorer.states < wanted, failures.count < 3 {
                            do { try await explorer.explore(seed) } catch { failures.append("\(error)") }
                            seed += Self.width
                        }
                        return failures
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            for failure in failures { Issue.record("\(failure)") }
            print("\(explorer.states) states in \((clock.now - start).components.seconds) s")
            #expect(explorer.states >= wanted || !failures.isEmpty)
        }
    }
#endif
