/// Why a process could not be started, or a file not be used, in tests.
package struct ProcessError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried, and what came of it.
    package let description: String

    /// Makes an error from a sentence.
    package init(_ description: String) { self.description = description }

    /// Makes an error from a system call that failed with `code`.
    package init(call: String, path: String, code: Int32) {
        description = "\(call) \(path): error \(code)"
    }
}
