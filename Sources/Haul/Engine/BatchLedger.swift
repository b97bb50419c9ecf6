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
        /// Fetch it, and give its fingerprint back at the end.
        case fetch(Fingerprint)
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
        let decision: Decision? = state.withLock { state in
            if state.running[key] != nil {
                state.running[key]?.append((index, request))
                return .wait
            }
            if let known = state.renamed[key] { return .finished(Self.receipt(known.path, known.bytes)) }
            if state.finished.contains(key) { return nil }
            state.running[key] = []
            return .fetch(key)
        }
        if let decision { return decision }
        // Where a million are finished, sizes are left on disk.
        let own = Self.path(request)
        return .finished(Self.receipt(own, (try? FileFacts.of(own))?.size ?? 0))
    }

    /// Takes note of the end of a transfer; one that failed may be tried again by an equal request.
    ///
    /// - Returns: the equal requests that waited for it.
    func end(
        _ request: DownloadRequest, _ key: Fingerprint, _ result: Result<DownloadReceipt, DownloadError>
    ) -> [(index: Int, request: DownloadRequest)] {
        let own = Self.path(request)
        return state.withLock { state in
            guard let others = state.running.removeValue(forKey: key) else { return [] }
            if case .success(let receipt) = result {
                if receipt.path == own {
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
            DownloadPaths.joined(directory, lastPart(of: request.url))
        }
    }

    /// What stands behind the last slash of an address that has something behind it.
    private static func lastPart(of url: String) -> String {
        let slash = UInt8(ascii: "/")
        var rest = url.utf8[...]
        while rest.last == slash { rest.removeLast() }
        let start = rest.lastIndex(of: slash).map { rest.index(after: $0) } ?? rest.startIndex
        return String(Substring(rest[start...]))
    }
}
