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
    private let isAside = Atomic(false)

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

    /// Gives back connections and place since the last byte is here; files stay open until the disk has them.
    ///
    /// Does nothing where so many wait for the disk already that more would take too many files.
    func stepAside() {
        guard budget.addAside() else { return }
        isAside.store(true, ordering: .relaxed)
        giveBack()
    }

    /// Gives everything back: no file is open any more.
    func release() {
        giveBack()
        if isAside.exchange(false, ordering: .relaxed) { budget.removeAside() }
    }

    private func giveBack() {
        let count = held.exchange(0, ordering: .relaxed)
        if count > 0 { budget.release(host, held: count) }
    }
}
