import HaulOrigin
import HaulTestSupport

/// One file of the soak: what it is, how its origin behaves, and what breaks in on it.
struct SoakCase: Sendable {
    /// What ends a run early.
    enum Mishap: Hashable, Sendable {
        /// Nothing.
        case none
        /// The library's `cancel()`, or SIGINT.
        case cancel
        /// SIGKILL; the library has none, so this is for the program.
        case kill
    }

    /// One run.
    struct Run: Sendable {
        /// What ends it early.
        var mishap: Mishap
        /// After which part of the file's bytes it comes, in percent.
        var percent: Int64
        /// After which time it comes if the bytes take longer.
        var delay: Duration
        /// Number of connections, nil for what haul finds out.
        var connections: Int?
    }

    /// Which file of the soak it is.
    let number: Int
    /// The file, honestly served.
    let resource: OriginResource
    /// How the origin behaves.
    let behaviors: [OriginBehavior]
    /// Whether the program fetches it, and not the library.
    let usesProgram: Bool
    /// Bytes a second of the whole origin, nil for no limit.
    let rate: Int64?
    /// Smallest range that is split, in bytes.
    let split: Int64
    /// Whether the digest is given.
    let hasDigest: Bool
    /// What is tried while the origin misbehaves.
    let runs: [Run]

    /// Makes the case of a number; equal seeds and numbers make equal cases.
    init(number: Int, seed: UInt64) {
        var random = SeededRandom(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        self.number = number
        let size = Self.size(&random)
        let validator = Int.random(in: 0..<4, using: &random)
        resource = OriginResource(
            "/f\(number).bin", size: size, seed: UInt64(number) + 1, etag: validator == 3 ? nil : "\"v\(number)\"",
            lastModified: validator >= 2 ? nil : 1_700_000_000)
        behaviors = Self.behaviors(number, &random)
        usesProgram = Int.random(in: 0..<3, using: &random) == 0
        rate = Int.random(in: 0..<4, using: &random) == 0 ? nil : Int64.random(in: 1 << 20...8 << 20, using: &random)
        split = [64 << 10, 256 << 10, 1 << 20].randomElement(using: &random) ?? 64 << 10
        let hasDigest = Int.random(in: 0..<4, using: &random) == 0
        // Versions without a validator to tell them apart are for a digest to judge, and so are two kinds of conduct at
        // once: a body that goes on past its end, without a length, is a longer file to everybody.
        self.hasDigest =
            hasDigest || behaviors.count > 1 || behaviors.contains(where: Self.onlyADigestTells)
            || validator >= 2 && behaviors.contains { if case .changesContent = $0 { true } else { false } }
        let usesProgram = usesProgram
        runs = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let mishaps: [Mishap] = usesProgram ? [.none, .cancel, .kill, .kill] : [.none, .cancel, .cancel]
            return Run(
                mishap: mishaps.randomElement(using: &random) ?? .none,
                percent: Int64.random(in: 0...110, using: &random),
                delay: .milliseconds(Int.random(in: 1...2500, using: &random)),
                connections: [nil, 1, 2, 4, 8].randomElement(using: &random) ?? nil)
        }
    }

    /// Every version of the file that may rightly be delivered.
    var versions: [OriginResource] {
        var versions = [resource]
        for behavior in behaviors {
            switch behavior {
            case .changesContent(let change): versions += versions.map { change.changed($0) }
            case .zeroLengthFile:
                var empty = resource
                empty.size = 0
                versions.append(empty)
            default: break
            }
        }
        return versions
    }

    /// The file as its origin serves it while it misbehaves.
    var misbehaving: OriginResource {
        var resource = resource
        resource.behaviors = behaviors
        return resource
    }

    private static func size(_ random: inout SeededRandom) -> Int64 {
        switch Int.random(in: 0..<20, using: &random) {
        case 0: Int64.random(in: 0...1, using: &random)
        case 1...4: Int64.random(in: 2...100_000, using: &random)
        case 5...9: Int64.random(in: 100_000...1_000_000, using: &random)
        case 10...18: Int64.random(in: 1_000_000...6_000_000, using: &random)
        default: Int64.random(in: 6_000_000...12_000_000, using: &random)
        }
    }

    /// One behaviour after the other, so that each has its turn, and now and then another one with it.
    private static func behaviors(_ number: Int, _ random: inout SeededRandom) -> [OriginBehavior] {
        let all = OriginBehavior.allCases
        var chosen = [all[number % all.count]]
        if Int.random(in: 0..<4, using: &random) == 0, let other = all.randomElement(using: &random) {
            chosen.append(other)
        }
        return chosen.map { behavior in
            switch behavior {
            // At the usual rates a file would take minutes.
            case .dripFeed: .dripFeed(rate: 20_000)
            case .oneSlowConnection(let connection, _): .oneSlowConnection(connection: connection, rate: 5_000)
            case .closesEvery(let bytes): .closesEvery(bytes: max(bytes, 60_000))
            case .resetMidBody: .resetMidBody(after: 60_000)
            default: behavior
            }
        }
    }

    /// Whether the origin sends other bytes than the file's with nothing in the answers to show it.
    private static func onlyADigestTells(_ behavior: OriginBehavior) -> Bool {
        switch behavior {
        case .shiftedContent, .blankRange, .htmlPage200, .htmlPage206, .bitFlip, .totalChanges, .chunkedOverlong: true
        case .changesContent(let change): change.silently || !change.heedsIfRange || change.trigger == .otherNode
        default: false
        }
    }
}
