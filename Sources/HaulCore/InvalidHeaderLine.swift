/// Why a header line of the user's is not sent.
package struct InvalidHeaderLine: Error, Hashable, Sendable {
    /// What is wrong and what to do, in words, without the value, which may be secret.
    package let reason: String

    /// Makes the error.
    package init(reason: String) { self.reason = reason }
}
