import Glibc
import HaulCore
import HaulOrigin
import HaulSystem
import HaulTestSupport
import Synchronization

@testable import Haul

#if DEBUG
    /// Goes through the states that power cuts leave, and runs the real engine on each.
    ///
    /// A seed decides the scenario, the moment of the cut and what the disk took; some runs are cut again while they go
    /// on from the first cut, or were killed before it.
    final class CrashExplorer: Sendable {
        /// What did not hold.
        struct Failure: Error, CustomStringConvertible {
            let description: String
        }

        private struct Prepared: Sendable {
            let scenario: CrashScenario
            let operations: [FileOperation]
            /// The model after each number of operations, from none on.
            let models: [DiskModel]
        }

        private let directory: TemporaryDirectory
        private let prepared: [Prepared]
        private let counted = Atomic(0)

        /// Number of states so far.
        var states: Int { counted.load(ordering: .relaxed) }

        /// Most cuts of one seed.
        private static let mostCuts = 3

        /// Records every scenario.
        ///
        /// - Parameter scenarios: which ones.
        /// - Throws: `Failure` when one does not end as it should without a cut.
        init(_ scenarios: [CrashScenario] = CrashScenario.all) async throws {
            // In memory where that can be: thousands of syncs that nobody needs would take the time.
            directory = try access("/dev/shm", W_OK) == 0 ? TemporaryDirectory(under: "/dev/shm") : TemporaryDirectory()
            var prepared: [Prepared] = []
            for (index, scenario) in scenarios.enumerated() {
                let recorded = try await CrashBench(scenario: scenario).run(
                    scenario.runs, on: scenario.before, in: directory.file("r\(index)"))
                guard case .success = recorded.result else {
                    throw Failure(description: "\(scenario.name): \(recorded.result)")
                }
                prepared.append(
                    Prepared(
                        scenario: scenario, operations: recorded.operations, models: Self.models(recorded)))
            }
            self.prepared = prepared
        }

        private static func models(_ recorded: CrashBench.Recorded) -> [DiskModel] {
            var models = [recorded.model]
            for operation in recorded.operations {
                var next = models[models.count - 1]
                next.apply(operation)
                models.append(next)
            }
            return models
        }

        /// Goes through the states of one seed.
        ///
        /// - Parameter seed: decides everything.
        /// - Throws: `Failure` when a wrong byte is under the name, or the engine does not come to the right file.
        func explore(_ seed: UInt64) async throws {
            var random = SeededRandom(seed: seed)
            let number = Int(seed % UInt64(prepared.count))
            let scenario = prepared[number].scenario
            var operations = prepared[number].operations
            var models = prepared[number].models
            var story = scenario.name
            for cut in 1...Self.mostCuts {
                // The last calls give the file its name: there is most to lose.
                let first = random.next() % 3 == 0 ? max(0, models.count - 6) : 0
                let point = Int.random(in: first..<models.count, using: &random)
                story += ", \(point) of \(operations.count) calls (\(Self.last(operations[..<point])))"
                // Only the power takes what is not on the disk; a kill leaves it to the kernel.
                let isKill =
                    cut < Self.mostCuts && random.next() % 4 == 0 && !Self.hasUntoldFailure(operations[..<point])
                let state = isKill ? models[point].intact : models[point].afterPowerCut(using: &random)
                story += (isKill ? ", kill: " : ", power cut: ") + state.description
                let place = directory.file("s\(seed)-\(cut)")
                let next = try await goOn(from: state, models[point], isKill, scenario, at: place, story, seed)
                TemporaryDirectory.remove(place)
                guard isKill || random.next() % 4 == 0 else { return }
                operations = next.operations
                models = Self.models(next)
            }
        }

        /// The last calls before a cut, without the bytes.
        private static func last(_ operations: ArraySlice<FileOperation>) -> String {
            operations.suffix(4).map { operation in
                switch operation {
                case .write(_, let offset, let bytes): "pwrite \(bytes.count) at \(offset)"
                case .syncEnded(_, let path, let promise, let succeeded): "\(path) synced, \(promise): \(succeeded)"
                default: "\(operation)"
                }
            }.joined(separator: "; ")
        }

        /// Whether a sync has failed and the program has not yet had the time to act on it.
        ///
        /// That a kill comes between the two, and then a power cut, is what nothing can be done against.
        private static func hasUntoldFailure(_ operations: ArraySlice<FileOperation>) -> Bool {
            let failure = operations.lastIndex {
                if case .syncEnded(_, _, .everything, succeeded: false) = $0 { true } else { false }
            }
            guard let failure else { return false }
            return !operations[failure...].contains { if case .unlink = $0 { true } else { false } }
        }

        private func goOn(
            from state: DiskState, _ model: DiskModel, _ isKill: Bool, _ scenario: CrashScenario, at place: String,
            _ story: String, _ seed: UInt64
        ) async throws -> CrashBench.Recorded {
            counted.add(1, ordering: .relaxed)
            if let wrong = Self.wrongFile(in: state, scenario) { throw failure("\(wrong) after \(story)", seed, state) }
            var run = scenario.runs[scenario.runs.count - 1]
            if !run.isLasting { run.fault = nil }
            let recorded = try await CrashBench(scenario: scenario).run(
                [run], on: state, model: isKill ? model : nil, in: place)
            if case .failure(let error) = recorded.result {
                if error.code == .outputExists, state["f"] != nil, !scenario.isRecognised { return recorded }
                throw failure("\(error.code): \(error.message), after \(story)", seed, state)
            }
            if let difference = FileContents.difference(of: CrashBench.final(in: place), from: scenario.wanted) {
                throw failure("\(difference), after \(story)", seed, state)
            }
            let rest = FileContents.names(in: place).filter { $0 != "f" && $0 != "folder" }
            guard rest.isEmpty || state["f"] != nil else {
                throw failure("\(rest) are left, after \(story)", seed, state)
            }
            return recorded
        }

        /// What is wrong with the file under its final name, before anything is run again.
        private static func wrongFile(in state: DiskState, _ scenario: CrashScenario) -> String? {
            guard let file = state["f"], file.bytes != scenario.replaced else { return nil }
            return file.bytes == CrashScenario.bytes(scenario.wanted) ? nil : "wrong bytes under the final name"
        }

        /// Keeps the state, and says how to see it again.
        private func failure(_ what: String, _ seed: UInt64, _ state: DiskState) -> Failure {
            let kept = "/tmp/haul-crash-\(seed)"
            TemporaryDirectory.remove(kept)
            mkdir(kept, 0o755)
            mkdir(kept + "/folder", 0o755)
            try? state.write(to: kept)
            return Failure(
                description: "HAUL_CRASH_SEED=\(seed) swift test --filter everyState explores it again: \(what); "
                    + "what the cut left is in \(kept)")
        }
    }
#endif
