import Glibc
import HaulOrigin
import HaulSystem
import HaulTestSupport

@testable import Haul

/// A download, or several runs of one, whose every moment may be the power's last.
struct CrashScenario: Sendable {
    /// One run of the engine.
    struct Run: Sendable {
        /// What the origin serves.
        var resource: OriginResource
        /// Connections after which there are no more, so that the run fails and leaves its partial; nil is no end.
        var connectionsUntilLoss: Int?
        /// A call that fails, and how.
        var fault: (call: SystemCall, nth: Int, number: Int32)?
        /// Where calls fail: what their path must end in.
        var faultyPath = ""
        /// Whether the call fails each time, after the cut as well.
        var isLasting = false
    }

    /// What it is, for messages.
    let name: String
    /// The runs before the cut, one after the other.
    var runs: [Run]
    /// What the directory holds before.
    var before = DiskState()
    /// How the engine runs.
    var bench = EngineBench(wire: .scripted, connections: 1, speed: 1000)
    /// Whether partial and journal are in a folder of their own.
    var hasFolder = false
    /// Name of a file to go on from.
    var prefix: String?

    /// What the file must hold in the end: what the last run's origin serves.
    var wanted: OriginResource { runs[runs.count - 1].resource }
    /// Whether a finished file can be told from another by what the server says.
    var isRecognised: Bool { wanted.behaviors != [.chunkedUnknownLength] }
    /// What may bear the name before it is finished.
    var replaced: [UInt8]? { before["f"]?.bytes }

    /// Makes the bytes that an origin serves.
    static func bytes(_ resource: OriginResource) -> [UInt8] { resource.content.bytes(0..<resource.size) }

    private static func resource(_ size: Int64, seed: UInt64 = 1) -> OriginResource {
        OriginResource("/f", size: size, seed: seed)
    }

    private static func breaking(_ resource: OriginResource, every bytes: Int64) -> OriginResource {
        var resource = resource
        resource.behaviors = [.closesEvery(bytes: bytes)]
        return resource
    }

    private static func file(_ resource: OriginResource) -> DiskState.File {
        DiskState.File(bytes: bytes(resource), mode: 0o644, modificationTime: nil)
    }

    // MARK: - All of them

    /// Every scenario; seeds name them by their number, so new ones go to the end.
    static let all: [CrashScenario] = plain + interrupted + failing + places + together + whole

    private static let plain: [CrashScenario] = {
        var parallel = CrashScenario(name: "four connections", runs: [Run(resource: resource(300_001))])
        parallel.bench.connections = 4
        var group = CrashScenario(name: "synced with others", runs: [Run(resource: resource(30_001))])
        group.bench.groupsSyncs = true
        var endless = resource(150_001)
        endless.behaviors = [.chunkedUnknownLength]
        return [
            CrashScenario(name: "one connection", runs: [Run(resource: breaking(resource(300_001), every: 70_000))]),
            parallel,
            CrashScenario(name: "no journal", runs: [Run(resource: resource(30_001))]),
            group,
            CrashScenario(name: "unknown length", runs: [Run(resource: endless)]),
            CrashScenario(name: "empty", runs: [Run(resource: resource(0))]),
            CrashScenario(name: "reserved", runs: [Run(resource: breaking(resource(1_100_001), every: 400_000))]),
        ]
    }()

    private static let interrupted: [CrashScenario] = {
        let old = breaking(resource(300_001), every: 70_000)
        var new = resource(280_001, seed: 2)
        new.etag = "\"second\""
        var parallel = CrashScenario(
            name: "goes on with four connections",
            runs: [Run(resource: old, connectionsUntilLoss: 3), Run(resource: resource(300_001))])
        parallel.bench.connections = 4
        return [
            CrashScenario(
                name: "goes on twice",
                runs: [
                    Run(resource: old, connectionsUntilLoss: 2), Run(resource: old, connectionsUntilLoss: 2),
                    Run(resource: resource(300_001)),
                ]),
            parallel,
            CrashScenario(
                name: "another version", runs: [Run(resource: old, connectionsUntilLoss: 4), Run(resource: new)]),
        ]
    }()

    private static let failing: [CrashScenario] = {
        let old = breaking(resource(300_001), every: 70_000)
        func failing(_ name: String, _ fault: (SystemCall, Int, Int32), at path: String = "") -> CrashScenario {
            CrashScenario(
                name: name,
                runs: [
                    Run(resource: old, fault: (fault.0, fault.1, fault.2), faultyPath: path), Run(resource: old),
                ])
        }
        return [
            failing("failed sync of the data", (.fsync, 1, EIO), at: "/f.haul"),
            failing("failed sync of the directory", (.fsync, 1, EIO), at: "/"),
            failing("full disk", (.pwrite, 4, ENOSPC)),
            failing("failed rename", (.renameat2, 1, EIO)),
        ]
    }()

    private static let places: [CrashScenario] = {
        let small = resource(30_001)
        var replaced = CrashScenario(name: "replaces a file", runs: [Run(resource: resource(150_001))])
        replaced.before.add("f", file(resource(120_000, seed: 9)))
        replaced.bench.existing = .replace
        var longer = CrashScenario(name: "a longer partial is left", runs: [Run(resource: small)])
        longer.before.add("f.haul", DiskState.File(bytes: bytes(resource(45_000, seed: 9))))
        var grouped = longer
        grouped = CrashScenario(
            name: "a longer partial is left, synced with others", runs: longer.runs, before: longer.before)
        grouped.bench.groupsSyncs = true
        var folder = CrashScenario(
            name: "a folder for partials", runs: [Run(resource: breaking(resource(210_001), every: 70_000))])
        folder.hasFolder = true
        var copied = CrashScenario(
            name: "partials on another file system",
            runs: [
                Run(
                    resource: breaking(resource(210_001), every: 70_000), fault: (.renameat2, 1, EXDEV), isLasting: true
                )
            ])
        copied.hasFolder = true
        var adopted = CrashScenario(name: "adopts a prefix", runs: [Run(resource: resource(300_001))])
        adopted.before.add("prefix", DiskState.File(bytes: Array(bytes(resource(300_001)).prefix(200_000))))
        adopted.prefix = "prefix"
        var copiedTogether = CrashScenario(
            name: "partials on another file system, synced with others",
            runs: [Run(resource: small, fault: (.renameat2, 1, EXDEV), isLasting: true)])
        copiedTogether.hasFolder = true
        copiedTogether.bench.groupsSyncs = true
        return [replaced, longer, grouped, folder, copied, adopted, copiedTogether]
    }()

    /// Published in rounds, in which one call syncs the whole file system.
    private static let together: [CrashScenario] = {
        func together(_ scenario: CrashScenario, fewest: Int = 1) -> CrashScenario {
            var scenario = scenario
            scenario.bench.groupsSyncs = true
            scenario.bench.fewestSynced = fewest
            return scenario
        }
        let small = resource(30_001)
        var replaced = CrashScenario(name: "replaces a file, all synced", runs: [Run(resource: small)])
        replaced.before.add("f", file(resource(20_000, seed: 9)))
        replaced.bench.existing = .replace
        var failures: [CrashScenario] = []
        for (path, what) in [("/f.haul", "data"), ("/", "directory")] {
            let failing = Run(resource: small, fault: (.fsync, 1, EIO), faultyPath: path)
            failures.append(
                together(
                    CrashScenario(
                        name: "failed sync of the \(what), with others", runs: [failing, Run(resource: small)]),
                    fewest: 4))
        }
        return [together(CrashScenario(name: "all synced", runs: [Run(resource: small)])), together(replaced)]
            + failures
    }()

    /// Brought by the first answer: seconds as long as they are, so that no run takes over for the time that it takes.
    private static let whole: [CrashScenario] = {
        func whole(_ name: String, groupsSyncs: Bool = false, hasFolder: Bool = false) -> CrashScenario {
            var scenario = CrashScenario(name: name, runs: [Run(resource: resource(30_001))])
            scenario.bench.speed = 1
            scenario.bench.groupsSyncs = groupsSyncs
            scenario.hasFolder = hasFolder
            return scenario
        }
        return [
            whole("whole"), whole("whole, with others", groupsSyncs: true),
            whole("whole, from a folder", hasFolder: true),
        ]
    }()
}
