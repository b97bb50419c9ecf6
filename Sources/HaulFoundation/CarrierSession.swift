import Dispatch
import Foundation
import HaulCore
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session that carries one request at a time.
final class CarrierSession: Sendable {
    /// Whom its connection leads to.
    let origin: Origin
    private let session: URLSession
    /// What hears of its request.
    let listener = SessionListener()
    private let used = Atomic<Bool>(false)
    private let isEnding = Atomic<Bool>(false)
    /// Whether the session is invalid, or about to be: a task made of it then would end the process.
    private let isInvalid = Mutex(false)
    /// Ends sessions: that may wait for a name look-up, and nobody else should.
    private static let undertaker = DispatchQueue(label: "haul.sessions")

    /// Makes a session without a connection.
    init(for origin: Origin, _ configuration: URLSessionConfiguration) {
        self.origin = origin
        #if canImport(Darwin)
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
        #else
            let queue = DirectQueue()
        #endif
        session = URLSession(configuration: configuration, delegate: listener, delegateQueue: queue)
    }

    /// Notes that a request goes out.
    ///
    /// - Returns: whether an earlier one may have opened the connection.
    func use() -> Bool { used.exchange(true, ordering: .relaxed) }

    /// Makes a task.
    ///
    /// - Parameter request: what it sends.
    /// - Returns: nil if the session was ended meanwhile.
    func task(for request: URLRequest) -> URLSessionDataTask? {
        isInvalid.withLock { $0 ? nil : session.dataTask(with: request) }
    }

    /// Ends the session and its connection.
    func end() {
        guard !isEnding.exchange(true, ordering: .relaxed) else { return }
        Self.undertaker.async {
            self.isInvalid.withLock { $0 = true }
            self.session.invalidateAndCancel()
        }
    }
}
