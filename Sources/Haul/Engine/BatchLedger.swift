import HaulSystem
import Synchronization

/// The requests of one batch: equal ones are one transfer.
final class BatchLedger: Sendable {
    private struct State {
        /// Requests under way, and the equal ones that wait for their end.
        var running: [Fingerprint: [(index: Int, request: DownloadRequest)]] = [:]
        /// Finished under the path that the request itself names: that is all there is to know.
        var finished = FingerprintTable()
        /// Finished under another path.
        var renamed: [Fingerprint: (bytes: Int64, path: String)] = [:]
    }

    /// What to do with a request.
    enum Decision {
        /// Fetch it.
        case fetch
        /// An equal one is under way, and reports this one too.
        case wait
        /// An equal one is finished.
        case finished(DownloadReceipt)
    }

    private let state = Mutex(State())

    /// Makes an empty ledger.
    init() {}

    /// Takes a request in.
    func admit(_ request: DownloadRequest, index: Int) -> Decision {
        let key = request.fingerprint
        let own = Self.path(request)
        let found: (decision: Decision, isHere: Bool) = state.withLock { state in
            if state.running[key] != nil {
                state.running[key]?.append((index, request))
                return (.wait, false)
            }
            if let known = state.renamed[key] { return (.finished(Self.receipt(known.path, known.bytes)), false) }
            if state.finished.contains(key) { return (.finished(Self.receipt(own, 0)), true) }
            state.running[key] = []
            return (.fetch, false)
        }
        guard found.isHere else { return found.decision }
        // Where a million are finished, sizes are left on disk.
        return .finished(Self.receipt(own, (try? FileFacts.of(own))?.size ?? 0))
    }

    /// Takes note of the end of a transfer; one that failed may be tried again by an equal request.
    ///
    /// - Returns: the equal requests that waited for it.
    func end(
        _ request: DownloadRequest, _ result: Result<DownloadReceipt, DownloadError>
    ) -> [(index: Int, request: DownloadRequest)] {
        let key = request.fingerprint
        return state.withLock { state in
            guard let others = state.running.removeValue(forKey: key) else { return [] }
            if case .success(let receipt) = result {
                if receipt.path == Self.path(request) {
                    _ = state.finished.insert(key)
                } else {
                    state.renamed[key] = (receipt.bytes, receipt.path)
                }
            }
            return others
        }
    }

    private static func receipt(_ path: String, _ bytes: Int64) -> DownloadReceipt {
        var receipt = DownloadReceipt(path: path, bytes: bytes)
        receipt.wasComplete = true
        return receipt
    }

    /// Where a request says that its file goes, the name being that of the address.
    private static func path(_ request: DownloadRequest) -> String {
        switch request.destination {
        case .file(let path): path
        case .descriptor: ""
        case .directory(let directory):
            DownloadPaths.joined(
                directory, request.url.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
            )
        }
    }
}
