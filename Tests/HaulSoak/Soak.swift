import Glibc
import Haul
import HaulOrigin
import Synchronization

/// The whole soak: laps of many files at once, with a look at the process between them.
struct Soak: Sendable {
    /// Growth that counts as none, in KiB: what the allocator keeps differs by so much from lap to lap.
    private static let memorySlack = 12 << 10
    /// Idle connections that may be kept for a while.
    private static let descriptorSlack = 16

    private let settings: SoakSettings
    private let downloader: Downloader
    private let clock = ContinuousClock()

    /// Makes one.
    init(_ settings: SoakSettings) {
        self.settings = settings
        var options = DownloaderOptions()
        options.maximumConcurrentDownloads = settings.jobs
        downloader = Downloader(options: options)
    }

    /// Runs it and prints what happens.
    ///
    /// - Returns: whether nothing happened that must not.
    func run() async -> Bool {
        Self.say("seed \(settings.seed), \(settings.jobs) files at once")
        if let only = settings.only { return await runOne(only) }
        let start = clock.now
        let lapTime = max(.seconds(5), settings.duration / 20)
        let next = Numbers(limit: settings.files)
        var tally = SoakTally()
        var looks: [ProcessFacts] = []
        while clock.now - start < settings.duration, !next.isExhausted {
            let lap = await self.lap(next, until: min(clock.now + lapTime, start + settings.duration))
            for fault in lap.faults { Self.say("FAULT (--seed \(settings.seed)): \(fault)") }
            tally.add(lap)
            let facts = ProcessFacts()
            looks.append(facts)
            let seconds = (clock.now - start).components.seconds
            Self.say(
                "\(seconds) s: \(facts.memory) KiB (\(facts.heap) allocated), \(facts.descriptors) descriptors, \(facts.threads) threads; "
                    + tally.summary)
        }
        tally.faults += growth(looks)
        for fault in growth(looks) { Self.say("FAULT: \(fault)") }
        let kinds = min(tally.files, OriginBehavior.allCases.count)
        Self.say("seed \(settings.seed), \(kinds) of \(OriginBehavior.allCases.count) behaviours; \(tally.summary)")
        return tally.faults.isEmpty && tally.files > 0
    }

    /// Writes a line at once, also into a pipe or file.
    static func say(_ line: String) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private func runOne(_ number: Int) async -> Bool {
        let soakCase = SoakCase(number: number, seed: settings.seed)
        Self.say("\(soakCase)")
        let tally = await SoakCaseRunner(soakCase: soakCase, downloader: downloader).run()
        for fault in tally.faults { Self.say("FAULT: \(fault)") }
        Self.say(tally.summary)
        return tally.faults.isEmpty
    }

    private func lap(_ next: Numbers, until end: ContinuousClock.Instant) async -> SoakTally {
        await withTaskGroup(of: SoakTally.self) { group in
            for _ in 0..<settings.jobs {
                group.addTask {
                    var tally = SoakTally()
                    while clock.now < end, let number = next.take() {
                        let soakCase = SoakCase(number: number, seed: settings.seed)
                        tally.add(await SoakCaseRunner(soakCase: soakCase, downloader: downloader).run())
                    }
                    return tally
                }
            }
            var whole = SoakTally()
            for await tally in group { whole.add(tally) }
            return whole
        }
    }

    /// What has grown: the least of the last third against the most of the first, without the very first lap.
    private func growth(_ looks: [ProcessFacts]) -> [String] {
        let looks = looks.dropFirst()
        let third = max(1, looks.count / 3)
        guard looks.count >= 3 else { return [] }
        func check(_ name: String, _ slack: Int, _ value: (ProcessFacts) -> Int) -> String? {
            let before = looks.prefix(third).map(value).max() ?? 0
            let after = looks.suffix(third).map(value).min() ?? 0
            return after > before + slack ? "\(name) grew from \(before) to \(after)" : nil
        }
        return [
            check("memory in KiB", Self.memorySlack, \.memory),
            check("descriptors", Self.descriptorSlack, \.descriptors),
            check("threads", Self.descriptorSlack, \.threads),
        ].compactMap(\.self)
    }

    /// Hands out numbers of files.
    private final class Numbers: Sendable {
        private let next = Mutex(0)
        private let limit: Int

        init(limit: Int?) { self.limit = limit ?? .max }

        var isExhausted: Bool { next.withLock { $0 >= limit } }

        func take() -> Int? {
            next.withLock { number in
                guard number < limit else { return nil }
                defer { number += 1 }
                return number
            }
        }
    }
}
