import Synchronization

/// A number that several tasks add to.
final class Counter: Sendable {
    private let number = Atomic<Int64>(0)

    /// The sum so far.
    var value: Int64 { number.load(ordering: .relaxed) }

    /// Adds to it.
    func add(_ amount: Int64) { number.add(amount, ordering: .relaxed) }

    /// Reserves `count` numbers and returns the first.
    func next(_ count: Int) -> Int64 { number.add(Int64(count), ordering: .relaxed).oldValue }
}
