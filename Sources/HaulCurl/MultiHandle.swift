import CCurl
import HaulCore

/// The set of running transfers and their connections (`CURLM *`), used by one thread only.
@safe struct MultiHandle: ~Copyable {
    /// Idle connections kept; libcurl's own limit is four times the running transfers, too few when workers wait.
    private static let idleConnections = 256

    private var pointer: UnsafeMutableRawPointer?

    /// Makes an empty set.
    ///
    /// C function: `curl_multi_init`.
    init() throws(TransportError) {
        guard let pointer = unsafe curl_multi_init() else {
            throw .transportFailure(detail: "libcurl gives no multi handle")
        }
        unsafe self.pointer = unsafe pointer
        _ = unsafe haul_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, Self.idleConnections)
        // One connection a transfer also with HTTP/2: requests that share one would share its window.
        _ = unsafe haul_multi_set_long(pointer, CURLMOPT_PIPELINING, 0)
    }

    deinit { if let pointer = unsafe pointer { unsafe curl_multi_cleanup(pointer) } }

    /// Closes every connection, on the thread that used them.
    ///
    /// C function: `curl_multi_cleanup`.
    mutating func close() {
        guard let pointer = unsafe pointer else { return }
        unsafe self.pointer = nil
        unsafe curl_multi_cleanup(pointer)
    }

    /// What another thread may hold to end the wait.
    var waker: Waker? { unsafe pointer.map { unsafe Waker(pointer: $0) } }

    /// Starts a transfer.
    ///
    /// C function: `curl_multi_add_handle`.
    func add(_ easy: borrowing EasyHandle) throws(TransportError) {
        let code = unsafe curl_multi_add_handle(pointer, easy.pointer)
        guard code == CURLM_OK else { throw .transportFailure(detail: Self.words(code)) }
    }

    /// Ends a transfer, finished or not; its callbacks are not called afterwards.
    ///
    /// C function: `curl_multi_remove_handle`.
    func remove(_ easy: borrowing EasyHandle) {
        _ = unsafe curl_multi_remove_handle(pointer, easy.pointer)
    }

    /// Moves every transfer that can move.
    ///
    /// C function: `curl_multi_perform`.
    func perform() {
        var running: Int32 = 0
        _ = unsafe curl_multi_perform(pointer, &running)
    }

    /// Waits for a socket, a timer or the waker.
    ///
    /// C function: `curl_multi_poll`.
    ///
    /// - Returns: whether a socket is ready.
    func wait(atMost milliseconds: Int32) -> Bool {
        var ready: Int32 = 0
        _ = unsafe curl_multi_poll(pointer, nil, 0, milliseconds, &ready)
        return ready > 0
    }

    /// Takes the next finished transfer: its private pointer and its result.
    ///
    /// C function: `curl_multi_info_read`.
    func nextFinished() -> (context: UnsafeMutableRawPointer, code: CURLcode)? {
        var code = CURLE_OK
        while let easy = unsafe haul_multi_next_finished(pointer, &code) {
            var context: UnsafeMutableRawPointer?
            _ = unsafe haul_easy_get_private(easy, &context)
            if let context = unsafe context { return unsafe (context, code) }
        }
        return nil
    }

    private static func words(_ code: CURLMcode) -> String {
        guard let text = unsafe curl_multi_strerror(code) else { return "error \(code.rawValue)" }
        return unsafe String(cString: text)
    }

    /// Ends the wait of the set's thread, from any thread.
    ///
    /// It must not outlive the set: `LoopExecutor` gives it up, under its lock, before the set is closed.
    @safe struct Waker: Sendable {
        nonisolated(unsafe) private let pointer: UnsafeMutableRawPointer

        fileprivate init(pointer: UnsafeMutableRawPointer) { unsafe self.pointer = unsafe pointer }

        /// Ends the current or else the next wait.
        ///
        /// C function: `curl_multi_wakeup`.
        func wake() { _ = unsafe curl_multi_wakeup(pointer) }
    }
}
