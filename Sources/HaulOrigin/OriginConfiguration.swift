/// What an origin serves, how fast and to how many.
package struct OriginConfiguration: Sendable {
    /// How a connection beyond a limit is refused.
    package enum Refusal: Hashable, Sendable {
        /// By a status, and closing.
        case status(Int, retryAfter: OriginRetryAfter)
        /// By a reset at once.
        case reset
        /// By closing at once.
        case close
    }

    /// The files.
    package var resources: [OriginResource]
    /// Bytes a second on each TCP connection, however many requests it carries; nil for no limit.
    package var connectionRate: Int64?
    /// Bytes a second of the whole origin, nil for no limit.
    package var totalRate: Int64?
    /// Bytes of bodies after which the whole origin falls silent, give or take a piece a connection; nil for never.
    package var silentAfter: Int64?
    /// Wait before a new connection is served.
    package var acceptDelay: Duration = .zero
    /// Wait before each answer.
    package var responseDelay: Duration = .zero
    /// Largest number of connections at once, nil for no limit.
    package var connectionLimit: Int?
    /// Largest number of new connections within `newConnectionPeriod`, nil for no limit.
    package var newConnectionLimit: Int?
    /// Time in which new connections are counted.
    package var newConnectionPeriod: Duration = .seconds(1)
    /// How connections beyond a limit are refused.
    package var refusal: Refusal = .status(503, retryAfter: .none)
    /// Port to listen on, 0 for any that is free.
    package var port: UInt16 = 0
    /// Scheme in absolute addresses that answers name; the origin itself has no TLS.
    package var scheme = "http"
    /// How many of the origin's seconds pass in one: more than 1 makes waits shorter and rates higher.
    package var speed: Double = 1

    /// Makes a configuration without limits.
    package init(_ resources: [OriginResource] = []) {
        self.resources = resources
    }
}
