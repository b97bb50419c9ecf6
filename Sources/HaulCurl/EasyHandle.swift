import CCurl
import HaulCore

/// One transfer's handle (`CURL *`): freed with its owner, never copied.
@safe struct EasyHandle: ~Copyable {
    let pointer: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>

    /// Makes a handle with a buffer for error texts.
    ///
    /// C function: `curl_easy_init`.
    init() throws(TransportError) {
        guard let pointer = unsafe curl_easy_init() else {
            throw .transportFailure(detail: "libcurl gives no handle")
        }
        unsafe self.pointer = unsafe pointer
        unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        _ = unsafe haul_easy_set_error_buffer(pointer, errorText)
    }

    deinit {
        unsafe curl_easy_cleanup(pointer)
        unsafe errorText.deallocate()
    }

    /// What went wrong last, in libcurl's words; empty when it said nothing (`CURLOPT_ERRORBUFFER`).
    var message: String { unsafe String(cString: errorText) }

    // MARK: - Options

    /// Sets a number or a switch.
    func set(_ option: CURLoption, _ value: Int) throws(TransportError) {
        try check(unsafe haul_easy_set_long(pointer, option, value), option)
    }

    /// Turns a switch on or off.
    func set(_ option: CURLoption, _ value: Bool) throws(TransportError) {
        try set(option, value ? 1 : 0)
    }

    /// Sets a number that may be large.
    func set(_ option: CURLoption, large value: Int64) throws(TransportError) {
        try check(unsafe haul_easy_set_offset(pointer, option, curl_off_t(value)), option)
    }

    /// Sets a text, which libcurl copies; nil takes the default away.
    func set(_ option: CURLoption, _ value: String?) throws(TransportError) {
        guard let value else { return try check(unsafe haul_easy_set_string(pointer, option, nil), option) }
        guard !value.utf8.contains(0) else {
            throw .transportFailure(detail: "\(Self.name(option)): null byte in text")
        }
        try check(unsafe haul_easy_set_string(pointer, option, value), option)
    }

    /// Sets a list, which must live until the transfer has been removed.
    func set(_ option: CURLoption, _ list: borrowing StringList) throws(TransportError) {
        try check(unsafe haul_easy_set_list(pointer, option, list.first), option)
    }

    /// Sends credentials of the Basic scheme with the first request (`CURLOPT_HTTPAUTH`).
    func setBasicAuthentication() throws(TransportError) {
        try check(unsafe haul_easy_set_basic_auth(pointer), CURLOPT_HTTPAUTH)
    }

    /// Sends credentials of the Digest scheme, when they are asked for (`CURLOPT_HTTPAUTH`, RFC 7616).
    func setDigestAuthentication() throws(TransportError) {
        try check(unsafe haul_easy_set_digest_auth(pointer), CURLOPT_HTTPAUTH)
    }

    /// Writes every cookie to a file now, and not again when the handle is freed (`CURLOPT_COOKIEJAR`).
    ///
    /// A file that cannot be written is no reason to fail a transfer.
    func writeCookies(to file: String) {
        _ = unsafe haul_easy_set_string(pointer, CURLOPT_COOKIEJAR, file)
        _ = unsafe haul_easy_set_string(pointer, CURLOPT_COOKIELIST, "FLUSH")
        _ = unsafe haul_easy_set_string(pointer, CURLOPT_COOKIEJAR, nil)
    }

    // MARK: - Facts

    /// A number that libcurl knows about the transfer, 0 if it does not.
    ///
    /// C function: `curl_easy_getinfo`.
    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return unsafe haul_easy_get_long(pointer, info, &value) == CURLE_OK ? value : 0
    }

    /// A large number that libcurl knows about the transfer, nil if it does not.
    func largeNumber(_ info: CURLINFO) -> Int64? {
        var value: curl_off_t = -1
        return unsafe haul_easy_get_offset(pointer, info, &value) == CURLE_OK && value >= 0 ? Int64(value) : nil
    }

    /// A text that libcurl knows about the transfer, nil if it is empty.
    func text(_ info: CURLINFO) -> String? {
        var value: UnsafePointer<CChar>?
        guard unsafe haul_easy_get_string(pointer, info, &value) == CURLE_OK, let value = unsafe value else {
            return nil
        }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// Whether the peer has said that the TLS connection ends, nil where that is not known.
    ///
    /// Only during a callback: afterwards the connection may be gone.
    ///
    /// C functions: `curl_easy_getinfo` with `CURLINFO_TLS_SSL_PTR`, `SSL_get_shutdown`.
    var peerSaidEnd: Bool? {
        switch unsafe haul_easy_peer_said_end(pointer) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    /// Lets a paused transfer go on; what was held back is delivered inside this call.
    ///
    /// C function: `curl_easy_pause`.
    func unpause() -> CURLcode { unsafe haul_easy_unpause(pointer) }

    private func check(_ code: CURLcode, _ option: CURLoption) throws(TransportError) {
        guard code != CURLE_OK else { return }
        throw .transportFailure(detail: "\(Self.name(option)): \(code.words)")
    }

    private static func name(_ option: CURLoption) -> String {
        guard let found = unsafe curl_easy_option_by_id(option), let name = unsafe found.pointee.name else {
            return "option \(option.rawValue)"
        }
        return "CURLOPT_" + (unsafe String(cString: name))
    }
}
