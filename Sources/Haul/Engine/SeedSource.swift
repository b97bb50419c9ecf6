import Synchronization

/// Seeds that nobody can guess, without asking the system for each.
final class SeedSource: Sendable {
    private let base = UInt64.random(in: 0 ... .max)
    private let given = Atomic<UInt64>(0)

    /// The next seed.
    func next() -> UInt64 {
        // Odd, so that none comes twice; any two are far apart.
        base &+ given.wrappingAdd(1, ordering: .relaxed).newValue &* 0xD134_2543_DE82_EF95
    }
}
