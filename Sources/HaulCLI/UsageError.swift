/// An argument that can't be used: exit status 2, before anything touches the network or the disk.
struct UsageError: Error, Hashable, Sendable {
    /// One line: what is wrong with which argument, and what to write instead.
    let message: String

    /// Makes an error.
    ///
    /// - Parameter message: what is wrong with which argument, and what to write instead.
    init(_ message: String) { self.message = message }
}
