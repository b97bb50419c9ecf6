import Synchronization

/// The requests of one batch: equal ones are one transfer.
final class BatchLedger: Sendable {
    private enum Entry {
        /// Under way; these wait for its end.
        case running([(index: Int, request: DownloadRequest)])
        /// Finished earlier in this batch; no path means the one that the request itself names.
        case finished(bytes: Int64, path: String?)
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

    private let entries = Mutex<[Fingerprint: Entry]>([:])

    /// Makes an empty ledger.
    init() {}

    /// Takes a request in.
    func admit(_ request: DownloadRequest, index: Int) -> Decision {
        let key = Self.key(request)
        return entries.withLock { entries in
            switch entries[key] {
            case nil:
                entries[key] = .running([])
                return .fetch
            case .running(let others):
                entries[key] = .running(others + [(index, request)])
                return .wait
            case .finished(let bytes, let path):
                var receipt = DownloadReceipt(path: path ?? Self.path(request), bytes: bytes)
                receipt.wasComplete = true
                return .finished(receipt)
            }
        }
    }

    /// Takes note of the end of a transfer; one that failed may be tried again by an equal request.
    ///
    /// - Returns: the equal requests that waited for it.
    func end(
        _ request: DownloadRequest, _ result: Result<DownloadReceipt, DownloadError>
    ) -> [(index: Int, request: DownloadRequest)] {
        let key = Self.key(request)
        return entries.withLock { entries in
            guard case .running(let others) = entries[key] else { return [] }
            switch result {
            case .success(let receipt):
                let path = receipt.path == Self.path(request) ? nil : receipt.path
                entries[key] = .finished(bytes: receipt.bytes, path: path)
            case .failure: entries[key] = nil
            }
            return others
        }
    }

    private static func key(_ request: DownloadRequest) -> Fingerprint {
        let range = request.range.map { "\($0)" } ?? ""
        return switch request.destination {
        case .file(let path): Fingerprint(request.url, "f", path, range)
        case .directory(let path): Fingerprint(request.url, "d", path, range)
        case .descriptor(let number): Fingerprint(request.url, "s", String(number), range)
        }
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
