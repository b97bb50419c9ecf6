import Foundation
import HaulCore
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sessions that carry nothing at the moment and may hold an open connection, by origin.
final class SessionPool: Sendable {
    /// Most sessions that wait with an open connection; the one that has waited longest goes first.
    private static let idleLimit = 32

    /// Cookies of all sessions, in memory only.
    let jar: CookieJar
    private let configuration: URLSessionConfiguration
    private let idle = Mutex<[CarrierSession]>([])

    /// Makes an empty pool.
    init() {
        configuration = .ephemeral
        jar = CookieJar(configuration.httpCookieStorage)
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .always
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpMaximumConnectionsPerHost = 1
        // Silence is judged by who asked: it knows whether bytes are held back.
        configuration.timeoutIntervalForRequest = TimeInterval(7 * 24 * 3600)
        configuration.timeoutIntervalForResource = TimeInterval(365 * 24 * 3600)
    }

    /// Gives out a session for one request.
    ///
    /// - Parameters:
    ///   - origin: whom it goes to.
    ///   - fresh: whether an open connection must not carry it.
    /// - Returns: one that was kept for that origin, or a new one.
    func take(for origin: Origin, fresh: Bool) -> CarrierSession {
        let kept: CarrierSession? = idle.withLock { idle in
            guard !fresh, let index = idle.lastIndex(where: { $0.origin == origin }) else { return nil }
            return idle.remove(at: index)
        }
        return kept ?? CarrierSession(for: origin, configuration)
    }

    /// Takes a session back.
    ///
    /// - Parameters:
    ///   - session: what `take` gave.
    ///   - isIdle: whether its request is over in every respect; otherwise it is ended, and its connection with it.
    func putBack(_ session: CarrierSession, isIdle: Bool) {
        guard isIdle else { return session.end() }
        let excess: CarrierSession? = idle.withLock { idle in
            idle.append(session)
            return idle.count > Self.idleLimit ? idle.removeFirst() : nil
        }
        excess?.end()
    }

    /// Ends what is idle.
    func close() {
        for session in idle.withLock({ $0 }) { session.end() }
    }
}
