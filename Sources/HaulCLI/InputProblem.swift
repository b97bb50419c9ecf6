/// A line of an input file that can't be used.
struct InputProblem: Error, Hashable, Sendable {
    /// Its number, from 1.
    var line: Int
    /// What is wrong with it.
    var message: String
}
