@testable import HaulCLI

/// Words of a command line, and what must hold for the arguments that they make.
struct OptionCase: Sendable {
    let words: [String]
    let holds: @Sendable (Arguments) -> Bool

    init(_ words: [String], _ holds: @escaping @Sendable (Arguments) -> Bool) {
        self.words = words
        self.holds = holds
    }
}
