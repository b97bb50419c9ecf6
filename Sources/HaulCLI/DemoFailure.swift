/// Something in the demonstration that is not as it should be.
struct DemoFailure: Error {
    /// What it is.
    let message: String

    /// Makes a failure.
    init(_ message: String) { self.message = message }
}
