import Glibc

/// How much a test does: little by default, more where a variable of the environment asks for it.
package enum TestEffort {
    /// The number in a variable, such as `HAUL_KILLS=100`.
    ///
    /// - Parameters:
    ///   - variable: its name.
    ///   - usual: what counts when it is missing or no number.
    /// - Returns: at least 1.
    package static func count(_ variable: String, usual: Int) -> Int {
        max(1, getenv(variable).flatMap { Int(String(cString: $0)) } ?? usual)
    }
}
