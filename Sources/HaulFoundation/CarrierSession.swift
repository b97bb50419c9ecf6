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
    /// The session itself.
    private let session: URLSession
    /// What hears of its request.
    let listener = SessionListener()
    private let used = Atomic<Bool>(false)
    private let isEnded = Atomic<Bool>(false)
    /// Whether no task may be made any more: an invalidated session traps.
    private let isClosed = Mutex(false)
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

    /// Makes a task; may wait for the session.
    ///
    /// - Returns: nil if the session has ended.
    func task(for request: URLRequest) -> URLSessionDataTask? {
        isClosed.withLock { $0 ? nil : session.dataTask(with: request) }
    }

    /// Notes that a request goes out.
    ///
    /// - Returns: whether an earlier one may have opened the connection.
    func use() -> Bool { used.exchange(true, ordering: .relaxed) }

    /// Ends the session and its connection.
    func end() {
        guard !isEnded.exchange(true, ordering: .relaxed) else { return }
        Self.undertaker.async {
            self.isClosed.withLock { $0 = true }
            self.listener.close()
            self.session.invalidateAndCancel()
        }
    }
}
