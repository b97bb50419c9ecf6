/// How a process ended.
package enum ExitStatus: Hashable, Sendable {
    /// By itself, with a code.
    case code(Int32)
    /// By a signal.
    case signal(Int32)
}
