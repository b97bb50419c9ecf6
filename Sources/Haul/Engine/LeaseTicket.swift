import Synchronization

/// A download's place among those that wait for a connection.
final class LeaseTicket: Sendable {
    private let number: Atomic<Int>

    /// Makes a ticket.
    init(_ priority: DownloadPriority) { number = Atomic(priority.rawValue) }

    /// Which comes first; `ConnectionBudget.reorder` makes a change count.
    var priority: DownloadPriority {
        get { DownloadPriority(rawValue: number.load(ordering: .relaxed)) }
        set { number.store(newValue.rawValue, ordering: .relaxed) }
    }
}
