/// An answer as a list of things to do: data, played on a socket or in memory alike.
package struct OriginScript: Hashable, Sendable {
    /// What to do, in order.
    package var steps: [OriginStep]
    /// Bytes of body a second, nil for no limit.
    package var rate: Int64?
    /// Whether the connection stays open behind the last step.
    package var keepsConnection: Bool

    /// Makes a script.
    package init(_ steps: [OriginStep], rate: Int64? = nil, keepsConnection: Bool = true) {
        self.steps = steps
        self.rate = rate
        self.keepsConnection = keepsConnection
    }
}
