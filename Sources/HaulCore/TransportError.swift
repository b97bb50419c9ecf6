/// What can go wrong on the wire.
///
/// A status, whatever it says, is not an error here.
package enum TransportError: Error, Hashable, Sendable {
    /// The task was cancelled.
    case cancelled
    /// The host's name has no address.
    case nameNotResolved(host: String)
    /// The host refused the connection (ECONNREFUSED).
    case connectionRefused(host: String, port: Int)
    /// No connection, for another reason.
    case connectionFailed(detail: String)
    /// The interface or local address to connect from is not there, or can't be used.
    case noInterface(name: String, detail: String)
    /// Look-up, connect and handshake took longer than the connect time-out.
    case connectTimedOut
    /// The certificate or the handshake was not accepted.
    case tls(detail: String)
    /// The two sides speak no version of TLS in common.
    case tlsVersion(detail: String)
    /// The proxy failed or refused.
    case proxy(detail: String)
    /// The proxy wants a name and password, or others than it was given (407, RFC 9110 §15.5.8; RFC 1928 §3, RFC 1929).
    case proxyLogin(detail: String)
    /// The connection broke before a head arrived (reset, or closed without an answer).
    case brokenBeforeHead(detail: String)
    /// The connection broke, or the body ended short of its announced length.
    case brokenInBody(detail: String)
    /// What came is not HTTP, or breaks its framing.
    case malformedResponse(detail: String)
    /// Heads larger than the limit, or without end.
    case headTooLarge
    /// libcurl refused an option or ran out of something.
    case transportFailure(detail: String)
}

extension TransportError {
    /// What happened, in words.
    package var summary: String {
        switch self {
        case .cancelled: "cancelled"
        case .nameNotResolved(let host): "the name '\(host)' has no address"
        case .connectionRefused(let host, let port): "\(host) refused the connection on port \(port)"
        case .connectionFailed(let detail): "no connection: \(detail)"
        case .noInterface(let name, let detail): "the interface '\(name)' can't be used (\(detail))"
        case .connectTimedOut: "connecting took too long"
        case .tls(let detail), .tlsVersion(let detail): "TLS: \(detail)"
        case .proxy(let detail), .proxyLogin(let detail): "proxy: \(detail)"
        case .brokenBeforeHead(let detail): "the connection broke before an answer came: \(detail)"
        case .brokenInBody(let detail): "the connection broke: \(detail)"
        case .malformedResponse(let detail): "the answer is not HTTP: \(detail)"
        case .headTooLarge: "the answer's header is too large"
        case .transportFailure(let detail): detail
        }
    }
}
