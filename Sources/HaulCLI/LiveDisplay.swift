/// What stands at the bottom of the terminal.
struct LiveDisplay: Hashable, Sendable {
    /// Files under way, in order.
    var lines: [LiveLine]
    /// How far the batch is; nil for a single file.
    var total: LiveTotal?
}
