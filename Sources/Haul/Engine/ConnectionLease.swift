import Synchronization

/// What one download holds of the connection budget; given back by `release`, or when the last reference goes.
///
/// Used by one task.
final class ConnectionLease: Sendable {
    private let budget: ConnectionBudget
    /// Number of the host.
    private let host: Int
    /// Number of its place among the downloads of its host that are under way.
    private let place: Int
    /// Which of several places where answers come in its download should use.
    ///
    /// A place keeps its lane, and there are no more places than downloads at once: so the connections of all lanes
    /// together, also those that are idle, are no more than if there were one.
    let lane: Int
    /// Connections held; 0 when they were given back.
    private let held = Atomic(1)

    /// Makes a lease of one connection.
    init(_ budget: ConnectionBudget, host: Int, place: Int, lane: Int) {
        self.budget = budget
        self.host = host
        self.place = place
        self.lane = lane
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
        if count > 0 { budget.release(host, place: place, held: count) }
    }
}
