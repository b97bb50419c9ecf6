/// Connection options that many requests have in common: passed on without being copied, and told apart at a glance.
package final class ConnectionProfile: Sendable {
    /// Trust, time-outs and route.
    package let options: ConnectionOptions

    /// The defaults.
    package static let usual = ConnectionProfile(ConnectionOptions())

    /// Makes a profile.
    package init(_ options: ConnectionOptions) { self.options = options }
}
