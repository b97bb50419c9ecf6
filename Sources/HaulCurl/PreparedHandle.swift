import CCurl
import HaulCore

/// A transfer's handle with everything set: the next transfer that wants the same sets its address and no more.
///
/// Setting a handle up costs as much as reading a small file's answer, and so does its buffer, which libcurl takes from
/// the system anew with each.
@safe final class PreparedHandle {
    let easy: EasyHandle
    private let profile: ConnectionProfile
    private let fields: HTTPFields
    private let isSecure: Bool
    private let sockets: SocketRegister
    private let share: ShareHandle
    /// Whether name and password go out in the Digest scheme.
    private(set) var usesDigest = false
    private var lists: RequestLists?
    private unowned(unsafe) var current: Transfer?
    /// Whether another transfer may use it as it is.
    private(set) var isReusable: Bool

    /// Makes a handle and sets every option of a request.
    ///
    /// - Parameters:
    ///   - request: what is to be sent.
    ///   - share: what transfers have in common.
    ///   - pacedRate: the rate of all transfers together, nil for no limit.
    ///   - others: number of transfers that run beside it on its thread.
    ///   - sockets: knows the sockets of its thread.
    /// - Throws: `.transportFailure` when libcurl gives no handle, or refuses an option.
    init(
        for request: TransferRequest, share: ShareHandle, pacedRate: Int64?, others: Int, sockets: SocketRegister
    ) throws(TransportError) {
        easy = try EasyHandle()
        profile = request.profile
        fields = request.fields
        isSecure = request.url.isSecure
        isReusable = pacedRate == nil && Self.isPlain(request)
        self.sockets = sockets
        self.share = share
        try share.attach(to: easy)
        lists = try request.apply(to: easy, share: share, pacedRate: pacedRate, others: others)
        if share.isDigestWanted(by: request.url.origin) { try useDigest(for: request) }
        try setCallbacks()
    }

    /// Sends name and password in the Digest scheme from now on, to this origin's other requests as well.
    ///
    /// Where no challenge has come yet, libcurl sends a request without them first, and answers the challenge by itself.
    func useDigest(for request: TransferRequest) throws(TransportError) {
        usesDigest = true
        share.noteDigest(of: request.url.origin)
        try easy.setDigestAuthentication()
    }

    /// What it does now; set by whoever uses it, for as long as it is in the set of running transfers.
    var transfer: Transfer? {
        get { unsafe current }
        set { unsafe current = newValue }
    }

    /// Whether nothing but the address has to be set for a request.
    ///
    /// - Parameters:
    ///   - request: what is to be sent.
    ///   - pacedRate: the rate of all transfers together, nil for no limit.
    /// - Returns: false if another handle has to be made.
    func fits(_ request: TransferRequest, pacedRate: Int64?) -> Bool {
        isReusable && pacedRate == nil && request.profile === profile && request.url.isSecure == isSecure
            && Self.isPlain(request) && request.fields == fields
    }

    /// Sets the address of a request that fits.
    func aim(at request: TransferRequest) throws(TransportError) { try easy.set(CURLOPT_URL, request.url.text) }

    /// Demands a new connection for the transfer; the handle is of no use for others afterwards.
    func demandFreshConnection() throws(TransportError) {
        isReusable = false
        try easy.set(CURLOPT_FRESH_CONNECT, true)
    }

    /// Whether a request has nothing that is set for it alone, nor anything that libcurl keeps with the handle.
    private static func isPlain(_ request: TransferRequest) -> Bool {
        request.credentials == nil && !request.needsFreshConnection && request.maximumRate == nil
            && request.profile.options.netrc == .never && request.profile.options.cookieFile == nil
            && request.profile.options.resolve.isEmpty
    }

    // MARK: - From libcurl

    private static func transfer(_ context: UnsafeMutableRawPointer) -> Transfer? {
        unsafe Unmanaged<PreparedHandle>.fromOpaque(context).takeUnretainedValue().transfer
    }

    private func setCallbacks() throws(TransportError) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let codes = unsafe [
            haul_easy_set_private(easy.pointer, context),
            haul_easy_set_body_callback(
                easy.pointer,
                { bytes, size, count, context in
                    guard let context = unsafe context, let bytes = unsafe bytes else { return 0 }
                    return unsafe PreparedHandle.transfer(context)?.takeBody(
                        UnsafeRawBufferPointer(start: bytes, count: size * count).bytes) ?? 0
                }, context),
            haul_easy_set_head_callback(
                easy.pointer,
                { bytes, size, count, context in
                    guard let context = unsafe context, let bytes = unsafe bytes else { return 0 }
                    return unsafe PreparedHandle.transfer(context)?.takeLine(
                        UnsafeRawBufferPointer(start: bytes, count: size * count).bytes) ?? 0
                }, context),
            haul_easy_set_request_callback(
                easy.pointer,
                { context, _, _, remotePort, localPort in
                    guard let context = unsafe context else { return CURL_PREREQFUNC_ABORT }
                    return unsafe PreparedHandle.transfer(context)?.takeConnection(
                        localPort: localPort, remotePort: remotePort) ?? CURL_PREREQFUNC_ABORT
                }, context),
            haul_easy_set_socket_callback(
                easy.pointer,
                { context, socket, _ in
                    guard let context = unsafe context else { return CURL_SOCKOPT_ERROR }
                    unsafe Unmanaged<PreparedHandle>.fromOpaque(context).takeUnretainedValue().sockets.add(socket)
                    return CURL_SOCKOPT_OK
                }, context),
            // Else the end of a body is where its framing says, or where anybody may put it.
            isSecure
                ? haul_easy_set_progress_callback(
                    easy.pointer,
                    { context, _, _, _, _ in
                        guard let context = unsafe context else { return 0 }
                        unsafe PreparedHandle.transfer(context)?.noteEnd()
                        return 0
                    }, context) : CURLE_OK,
        ]
        guard codes.allSatisfy({ $0 == CURLE_OK }) else { throw .transportFailure(detail: "libcurl refuses callbacks") }
    }
}
