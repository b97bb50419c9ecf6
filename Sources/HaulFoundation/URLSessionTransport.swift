import Foundation
package import HaulCore
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The network by URLSession, for platforms without libcurl.
///
/// A session carries one request at a time and is therefore one connection: requests of one session would share a
/// connection where the server speaks HTTP/2, and then several connections would be one. Idle sessions are kept by
/// origin. Redirects are not followed, nothing is cached, and no name or password comes from a store.
///
/// What URLSession can't do is listed in the documentation of `HaulFoundation`, beside the table of conducts.
package final class URLSessionTransport: PacedTransport {
    private let sessions = SessionPool()
    private let transfers = Mutex<[Slot: SessionTransfer]>([:])
    private let pace = CommonPace()

    /// Makes a transport; no session yet.
    package init() {}

    deinit { sessions.close() }

    package var maximumRate: Int64? {
        get { pace.rate }
        set { pace.rate = newValue }
    }

    package func send(
        _ request: TransferRequest, on slot: Slot, to receiver: some ResponseReceiver
    ) async throws(TransportError) -> TransferSummary {
        defer { withExtendedLifetime(self) {} }
        let urlRequest = try URLRequest(request, jar: sessions.jar)
        let session = sessions.take(for: request.url.origin, fresh: request.needsFreshConnection)
        let transfer = SessionTransfer(request, over: session, to: receiver, pace: pace)
        transfers.withLock { $0[slot] = transfer }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { transfer.start(urlRequest, $0) }
        } onCancel: {
            transfer.cancel()
        }
        transfers.withLock { _ = $0.removeValue(forKey: slot) }
        // Else a session that waits would keep the receiver, and what that writes to.
        session.listener.transfer = nil
        sessions.putBack(session, isIdle: transfer.leavesConnectionIdle)
        return try result.get()
    }

    package func resume(_ slot: Slot) { transfers.withLock { $0[slot] }?.resume() }

    package func cancel(_ slot: Slot) { transfers.withLock { $0[slot] }?.cancel() }

    package func parse(_ text: String, relativeTo base: ResourceURL?) throws(InvalidURL) -> ResourceURL {
        try FoundationURLParser.parse(text, relativeTo: base)
    }
}
