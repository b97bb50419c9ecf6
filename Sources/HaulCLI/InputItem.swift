/// One download of an input file: its addresses and options.
struct InputItem: Hashable, Sendable {
    /// Number of the line with the addresses, from 1.
    var line: Int
    /// Addresses of one file, the first being the one that counts.
    var urls: [String]
    /// Options in the order given.
    var options: [Option] = []
    /// Whether one of its lines can't be used, so that it must not be fetched.
    var isBroken = false

    /// An option line.
    struct Option: Hashable, Sendable {
        /// Its line, from 1.
        var line: Int
        /// What it says.
        var value: FlagValue
    }
}
