import Synchronization

/// Why a request ended, told from one task to another.
final class Ending: Sendable {
    private let text = Mutex<String?>(nil)

    /// The reason, nil as long as there is none.
    var reason: String? { text.withLock { $0 } }

    /// Tells the reason.
    func note(_ reason: String) { text.withLock { $0 = reason } }
}
