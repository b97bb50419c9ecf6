/// Why a measurement can't be made: one line for people.
struct BenchmarkFailure: Error {
    /// What happened.
    let message: String

    /// Makes a failure.
    init(_ message: String) { self.message = message }
}
