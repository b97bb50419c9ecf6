/// Which addresses of a host to use.
public enum IPVersion: Hashable, Sendable {
    /// Whatever the host has.
    case any
    /// IPv4 only.
    case v4
    /// IPv6 only.
    case v6
}
