import Synchronization

/// What one download holds of the connection budget; given back by `release`, or when the last reference goes.
///
/// Used by one task.
final class ConnectionLease: Sendable {
    private let budget: ConnectionBudget
    private let name: String
    /// Number of the host.
    private let host: Atomic<Int>
    /// Connections held; 0 when they were given back.
    private let held = Atomic(1)
    private let isAside = Atomic(false)
    /// Bytes in memory that wait to be written since it stepped aside.
    private let unwritten = Atomic<Int64>(0)

    /// Makes a lease of one connection.
    ///
    /// - Parameters:
    ///   - budget: what it is a part of.
    ///   - name: the host.
    ///   - host: its number.
    init(_ budget: ConnectionBudget, _ name: String, host: Int) {
        self.budget = budget
        self.name = name
        self.host = Atomic(host)
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
        let now = budget.adjust(host.load(ordering: .relaxed), wanted: wanted, inUse: inUse, held: before)
        held.store(now, ordering: .relaxed)
        return now
    }

    /// Gives back connections and place since the last byte is here; files stay open until the disk has them.
    ///
    /// Does nothing where so many are aside already that more would take too many files or too much memory. Who is aside
    /// says so again when it holds less, or has come back meanwhile.
    ///
    /// - Parameter bytes: bytes in memory that are to be written.
    func stepAside(holding bytes: Int64 = 0) {
        guard !isAside.load(ordering: .relaxed) else {
            holds(bytes)
            return giveBack()
        }
        guard budget.addAside(holding: bytes) else { return }
        isAside.store(true, ordering: .relaxed)
        unwritten.store(bytes, ordering: .relaxed)
        giveBack()
    }

    /// Takes note of how much is in memory only of what stepped aside.
    func holds(_ bytes: Int64) {
        guard isAside.load(ordering: .relaxed) else { return }
        budget.changeUnwritten(by: bytes - unwritten.exchange(bytes, ordering: .relaxed))
    }

    /// Waits for a place and a connection again, where it stepped aside and has to fetch more after all.
    ///
    /// - Parameter ticket: its priority among those that wait.
    func comeBack(_ ticket: LeaseTicket) async {
        guard held.load(ordering: .relaxed) == 0 else { return }
        guard let other = await budget.lease(for: name, ticket: ticket) else { return }
        host.store(other.host.load(ordering: .relaxed), ordering: .relaxed)
        held.store(other.held.exchange(0, ordering: .relaxed), ordering: .relaxed)
        // Its buffers are the connection's from now on.
        holds(0)
    }

    /// Gives everything back: no file is open any more.
    func release() {
        giveBack()
        guard isAside.exchange(false, ordering: .relaxed) else { return }
        budget.removeAside(holding: unwritten.exchange(0, ordering: .relaxed))
    }

    private func giveBack() {
        let count = held.exchange(0, ordering: .relaxed)
        if count > 0 { budget.release(host.load(ordering: .relaxed), held: count) }
    }
}
