/// When to try again, and how long to wait before.
///
/// The budget counts attempts without progress: whoever receives a byte starts again at attempt 1.
package struct RetryPolicy: Hashable, Sendable {
    /// Attempts in a row that may bring nothing before the failure stands.
    package var limit: Int
    /// Longest wait before the first attempt.
    package var base: Duration
    /// Longest wait before any attempt, unless the server asks for more.
    package var longest: Duration

    /// Longest wait that a server may ask for; beyond it the download ends with a message that says so.
    package static let longestWait: Duration = .seconds(3600)

    /// Makes a policy; five attempts are what `--retry` promises, the waits are those of `delay`.
    package init(limit: Int = 5, base: Duration = .milliseconds(200), longest: Duration = .seconds(30)) {
        self.limit = max(0, limit)
        self.base = base
        self.longest = longest
    }

    /// Whether attempt number `attempt`, counted from 1, is still within the budget.
    package func allows(attempt: Int) -> Bool { attempt <= limit }

    /// How long to wait before attempt number `attempt`.
    ///
    /// The wait doubles and half of it is left to chance, so that workers which failed together do not come back
    /// together, and none comes back at once:
    ///
    /// | Attempt | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 and later |
    /// | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
    /// | at least | 0.1 s | 0.2 s | 0.4 s | 0.8 s | 1.6 s | 3.2 s | 6.4 s | 12.8 s | 15 s |
    /// | less than | 0.2 s | 0.4 s | 0.8 s | 1.6 s | 3.2 s | 6.4 s | 12.8 s | 25.6 s | 30 s |
    ///
    /// - Parameters:
    ///   - attempt: number of the attempt, from 1.
    ///   - random: a random number from 0 up to but not including 1.
    ///   - retryAfter: what the server asks for; it is never undercut, and exceeded by less than `base`. Callers cap it.
    /// - Returns: the wait.
    package func delay(attempt: Int, random: Double, retryAfter: Duration? = nil) -> Duration {
        // Written so that a NaN becomes 0.
        let chance = random > 0 ? min(random, 1) : 0
        // Twenty doublings of any sensible base are past any sensible limit.
        let ceiling = min(base * (1 << min(max(attempt, 1) - 1, 20)), longest)
        let backOff = ceiling * (0.5 + chance / 2)
        guard let retryAfter else { return backOff }
        return max(backOff, retryAfter + base * chance)
    }

    /// What a failure on the wire asks for.
    package func classify(_ error: TransportError) -> FailureClass {
        switch error {
        case .cancelled:
            .cancelled
        case .connectionRefused, .brokenBeforeHead:
            .refusedConnection
        case .nameNotResolved, .connectionFailed, .connectTimedOut, .brokenInBody, .malformedResponse, .headTooLarge,
            .proxy:
            .retryable
        // A proxy may be down for a moment; one that wants a password must not be asked until it locks the account.
        case .proxyLogin, .tls, .tlsVersion, .noInterface, .transportFailure:
            .fatal
        }
    }

    /// What a refusing status asks for; redirects and 416 have their own answers.
    package func classify(status: Int) -> FailureClass {
        switch status {
        case 429, 503: .refusedConnection
        case 408, 425, 500...599: .retryable
        case 403, 404: .final(unlessOthersLive: true)
        case 407: .fatal
        default: .final(unlessOthersLive: false)
        }
    }

    /// Whether `status`, at an address that a redirect named, may mean that the address has run out.
    ///
    /// Then the original address is asked for a new one.
    package func mayMeanExpiredAddress(status: Int) -> Bool { [401, 403, 404, 410].contains(status) }
}
