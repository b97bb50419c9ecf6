/// Why the rest of a document is no metalink.
package struct MetalinkProblem: Error, Hashable, Sendable {
    /// The line, from 1.
    package let line: Int
    /// What is wrong, in words.
    package let reason: String

    /// Makes the error.
    package init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }
}
