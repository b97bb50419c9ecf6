/// What a failed request asks for, before anyone looks at what else is going on.
package enum FailureClass: Hashable, Sendable {
    /// Try again after a while.
    case retryable
    /// Try again after a while, and take it as a sign that the server wants fewer connections when others live.
    case refusedConnection
    /// The server has spoken: no use asking again at this address.
    ///
    /// `unlessOthersLive` marks a 403 or 404, which while other connections deliver is how some servers refuse one more.
    case final(unlessOthersLive: Bool)
    /// No request of this download can go better: trust, proxy or set-up are wrong.
    case fatal
    /// Someone ended it.
    case cancelled
}
