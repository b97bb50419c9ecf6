import HaulCore

/// Handles whose transfers have ended well, for the next ones that want the same.
struct IdleHandles {
    /// Most that are kept: each holds a buffer.
    private static let capacity = 16

    private var handles: [PreparedHandle] = []

    /// Takes one that fits a request, with its address set; nil if there is none.
    ///
    /// - Parameters:
    ///   - request: what is to be sent.
    ///   - pacedRate: the rate of all transfers together, nil for no limit.
    /// - Returns: the handle.
    /// - Throws: `.transportFailure` when libcurl refuses the address.
    mutating func take(for request: TransferRequest, pacedRate: Int64?) throws(TransportError) -> PreparedHandle? {
        // The last is the one whose memory is still in the cache.
        guard let index = handles.lastIndex(where: { $0.fits(request, pacedRate: pacedRate) }) else { return nil }
        let handle = handles.remove(at: index)
        try handle.aim(at: request)
        return handle
    }

    /// Keeps one whose transfer is out of the set of running ones, if it can be of use.
    mutating func keep(_ handle: PreparedHandle) {
        handle.transfer = nil
        guard handle.isReusable else { return }
        // Whoever has waited longest fits nobody.
        if handles.count == Self.capacity { handles.removeFirst() }
        handles.append(handle)
    }

    /// Frees all of them.
    mutating func removeAll() { handles = [] }
}
