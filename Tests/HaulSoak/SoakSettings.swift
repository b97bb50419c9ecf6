import Glibc

/// How long, how much at once and with which luck.
struct SoakSettings: Sendable {
    /// Why the words can't be used.
    struct Problem: Error {
        /// What is wrong.
        let reason: String
    }

    /// The words that are understood.
    static let usage = "usage: HaulSoak [--minutes N] [--files N] [--jobs N] [--seed N] [--case N]"

    /// How long new files are begun.
    var duration: Duration = .seconds(60)
    /// Most files, nil for as many as the time allows.
    var files: Int?
    /// Files at once.
    var jobs = 6
    /// Decides everything but the machine's timing.
    var seed: UInt64
    /// The one file to fetch, to look at a failure again.
    var only: Int?

    /// Reads the words of the command line.
    init(_ words: [String]) throws(Problem) {
        seed = UInt64.random(in: 0...999_999_999)
        var rest = words[...]
        while let name = rest.popFirst() {
            guard let text = rest.popFirst(), let value = Double(text), value >= 0, value < 1e9 else {
                throw Problem(reason: "\(name) needs a number")
            }
            switch name {
            case "--minutes": duration = .seconds(value * 60)
            case "--files": files = Int(value)
            case "--jobs": jobs = max(1, Int(value))
            case "--seed": seed = UInt64(value)
            case "--case": only = Int(value)
            default: throw Problem(reason: "unknown option \(name)")
            }
        }
    }
}
