import CCurl
import HaulCore
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// What the loops of a transport have in common: addresses of hosts, cookies, TLS sessions (`CURLSH *`).
///
/// Connections are not shared: libcurl cannot do that between threads.
///
/// `@unchecked Sendable`: libcurl guards what is behind `pointer` with the locks given here, and both pointers never change.
@safe final class ShareHandle: @unchecked Sendable {
    private let pointer: UnsafeMutableRawPointer
    private let locks: UnsafeMutablePointer<pthread_mutex_t>
    private let seenFiles = Mutex<Set<String>>([])
    private let digestOrigins = Mutex<Set<Origin>>([])

    private static let lockCount = Int(CURL_LOCK_DATA_LAST.rawValue)

    /// Makes the shared part.
    ///
    /// C function: `curl_share_init`.
    init() throws(TransportError) {
        guard let pointer = unsafe curl_share_init() else {
            throw .transportFailure(detail: "libcurl gives no share handle")
        }
        unsafe self.pointer = unsafe pointer
        unsafe locks = .allocate(capacity: Self.lockCount)
        for index in 0..<Self.lockCount { _ = unsafe pthread_mutex_init(locks + index, nil) }
        _ = unsafe haul_share_set_locks(
            pointer,
            { _, kind, _, context in
                guard let context = unsafe context else { return }
                let locks = unsafe context.assumingMemoryBound(to: pthread_mutex_t.self)
                _ = unsafe pthread_mutex_lock(locks + Int(kind.rawValue))
            },
            { _, kind, context in
                guard let context = unsafe context else { return }
                let locks = unsafe context.assumingMemoryBound(to: pthread_mutex_t.self)
                _ = unsafe pthread_mutex_unlock(locks + Int(kind.rawValue))
            }, locks)
        for kind in [CURL_LOCK_DATA_DNS, CURL_LOCK_DATA_COOKIE, CURL_LOCK_DATA_SSL_SESSION] {
            _ = unsafe haul_share_set_kind(pointer, kind)
        }
    }

    deinit {
        unsafe curl_share_cleanup(pointer)
        for index in 0..<Self.lockCount { _ = unsafe pthread_mutex_destroy(locks + index) }
        unsafe locks.deallocate()
    }

    /// Makes a transfer use the shared part (`CURLOPT_SHARE`).
    func attach(to easy: borrowing EasyHandle) throws(TransportError) {
        guard unsafe haul_easy_set_share(easy.pointer, pointer) == CURLE_OK else {
            throw .transportFailure(detail: "libcurl refuses to share")
        }
    }

    /// Whether `path` was not named for this `purpose` before: a cookie file is read once, or it would bring back
    /// what servers have changed since.
    func isFirstUse(of path: String, for purpose: String) -> Bool {
        seenFiles.withLock { $0.insert(purpose + ":" + path).inserted }
    }

    /// Whether an origin has asked for name and password in the Digest scheme alone.
    func isDigestWanted(by origin: Origin) -> Bool { digestOrigins.withLock { $0.contains(origin) } }

    /// Takes note that an origin wants the Digest scheme.
    func noteDigest(of origin: Origin) { digestOrigins.withLock { _ = $0.insert(origin) } }

    /// Does something at the first such use of `path`; others that ask meanwhile wait for its end.
    func onFirstUse(
        of path: String, for purpose: String, _ body: () throws(TransportError) -> Void
    ) throws(TransportError) {
        let result: Result<Void, TransportError> = seenFiles.withLock { seen in
            guard seen.insert(purpose + ":" + path).inserted else { return .success(()) }
            do throws(TransportError) { return .success(try body()) } catch { return .failure(error) }
        }
        try result.get()
    }
}
