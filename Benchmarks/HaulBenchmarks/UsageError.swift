/// An argument that can't be used.
struct UsageError: Error {
    /// Which one, and why.
    let message: String

    /// Makes an error.
    init(_ message: String) { self.message = message }
}
