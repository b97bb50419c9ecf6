import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Hears what happens to a session's request, and tells the transfer that it belongs to.
final class SessionListener: NSObject, URLSessionDataDelegate {
    private let current = Mutex<SessionTransfer?>(nil)
    /// Whether the session's requests are about to be cancelled.
    private let isClosed = Mutex(false)

    /// The transfer under way.
    var transfer: SessionTransfer? {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    private func transfer(of task: URLSessionTask) -> SessionTransfer? {
        transfer.flatMap { $0.isCarried(by: task) ? $0 : nil }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        transfer(of: dataTask)?.take(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        transfer(of: dataTask)?.take(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // On Linux an answer that comes behind a cancellation ends the process: this one is on its way before, or not sent.
        isClosed.withLock { if !$0 { completionHandler(nil) } }
    }

    /// Notes that the session's requests are about to be cancelled.
    func close() { isClosed.withLock { $0 = true } }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        transfer(of: task)?.conclude(task.response, error)
    }
}
