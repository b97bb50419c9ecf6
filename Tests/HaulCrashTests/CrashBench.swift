import Glibc
import HaulCore
import HaulOrigin
import HaulSystem
import HaulTestSupport

@testable import Haul

#if DEBUG
    /// Runs a scenario's engine in a directory, and records what happens to its files.
    struct CrashBench {
        let scenario: CrashScenario

        /// Path of the finished file.
        static func final(in directory: String) -> String { directory + "/f" }

        /// A run that was recorded.
        struct Recorded {
            /// What was there before.
            var model: DiskModel
            var operations: [FileOperation]
            /// How the last run ended.
            var result: Result<DownloadReceipt, DownloadError>
        }

        /// Puts `state` into a new directory and runs.
        ///
        /// - Parameters:
        ///   - runs: what to run, one after the other.
        ///   - state: what is in the directory.
        ///   - model: what follows the recording; nil is one to which `state` is on the disk.
        ///   - directory: where, and it is new.
        /// - Returns: the recording.
        /// - Throws: `ProcessError` when the state can't be written.
        func run(
            _ runs: [CrashScenario.Run], on state: DiskState, model: DiskModel? = nil, in directory: String
        ) async throws -> Recorded {
            mkdir(directory, 0o755)
            if scenario.hasFolder { mkdir(directory + "/folder", 0o755) }
            try state.write(to: directory)
            var inodes: [String: UInt64] = [:]
            for name in state.names.keys {
                var facts = stat()
                if lstat(directory + "/" + name, &facts) == 0 { inodes[name] = UInt64(facts.st_ino) }
            }
            var start = model ?? DiskModel(holding: state)
            start.mount(directory, inodes)
            let recording = OperationRecording(for: directory + "/")
            recording.install()
            defer { recording.remove() }
            var result: Result<DownloadReceipt, DownloadError> = .failure(.cancelledKeeping)
            for run in runs { result = try await fetch(run, in: directory) }
            return Recorded(model: start, operations: recording.operations, result: result)
        }

        private func fetch(
            _ run: CrashScenario.Run, in directory: String
        ) async throws -> Result<DownloadReceipt, DownloadError> {
            var configuration = OriginConfiguration([run.resource])
            configuration.speed = scenario.bench.speed
            let limit = run.connectionsUntilLoss ?? .max
            let network = ScriptedTransport(
                configuration, time: .continuous(speed: scenario.bench.speed),
                connecting: { _, attempt in attempt > limit ? .brokenBeforeHead(detail: "no more") : nil })
            var bench = scenario.bench
            if run.connectionsUntilLoss != nil { bench.retries = 1 }
            if scenario.hasFolder { bench.temporaryDirectory = directory + "/folder" }
            bench.prefix = scenario.prefix.map { directory + "/" + $0 }
            let plan = FaultPlan(for: directory + "/", ending: run.faultyPath)
            if let fault = run.fault {
                plan.disturb(fault.call, nth: fault.nth, .error(fault.number))
                plan.install()
            }
            defer { plan.remove() }
            let path = Self.final(in: directory)
            return try await bench.fetch("http://origin.test/f", to: path, over: network).0
        }
    }
#endif
