/// Why a transfer can't go on.
package enum TransferFailure: Error, Sendable {
    /// The network failed more often in a row than the budget allows.
    case network(TransportError, attempts: Int)
    /// No byte came for the stall time, more often in a row than the budget allows.
    case stalled(attempts: Int)
    /// The server said no.
    case refused(AnswerRefusal)
    /// The resource changed more often than a restart can follow.
    case changed(reason: String)
}
