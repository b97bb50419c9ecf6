import Synchronization

/// What one download holds of the connection budget; given back by `release`, or when the last reference goes.
///
/// Used by one task.
final class ConnectionLease: Sendable {
    private let budget: ConnectionBudget
    /// Number of the host.
    private let host: Int
    /// Connections held; 0 when they were given back.
    private let held = Atomic(1)

    /// Makes a lease of one connection.
    init(_ budget: ConnectionBudget, host: Int) {
        self.budget = budget
        self.host = host
    }

    deinit { release() }

    /// Takes more, or gives back what is not needed.
    ///
    /// - Parameters:
    ///   - wanted: connections that the download could use.
    ///   - inUse: connections that are under way.
    /// - Returns: connections that it may use now.
    func adjust(wanted: Int, inUse: Int) -> Int {
        let before = held.load(ordering: .relaxed)
        guard before > 0 else { return 1 }
        let now = budget.adjust(host, wanted: wanted, inUse: inUse, held: before)
        held.store(now, ordering: .relaxed)
        return now
    }

    /// Gives everything back: the last byte is here.
    func release() {
        let count = held.exchange(0, ordering: .relaxed)
        if count > 0 { budget.release(host, held: count) }
    }
}
