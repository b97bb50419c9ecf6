/// Why an origin could not start.
package struct OriginError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system call that failed.
    package let call: String
    /// Its `errno`.
    package let code: Int32

    /// What failed, with the error's number.
    package var description: String { "origin: \(call) failed with error \(code)" }
}
