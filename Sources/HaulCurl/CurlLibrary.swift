import CCurl
package import HaulCore

/// libcurl as this process finds it: prepared once, and refused if it is too old.
package struct CurlLibrary: Sendable {
    /// Oldest version that works, 7.87.0: `CURLOPT_QUICK_EXIT` came with it.
    static let oldestVersion: UInt32 = 0x07_57_00

    /// The library and its TLS library, such as `libcurl/7.88.1 OpenSSL/3.0.19`.
    package let components: String

    /// The library's version as a number, `0xMMNNPP`.
    let version: UInt32

    private static let outcome: Result<CurlLibrary, TransportError> = prepare()

    /// Prepares libcurl on the first call, and answers the same ever after.
    ///
    /// C functions: `curl_global_init`, `curl_version_info`.
    ///
    /// - Returns: what was found.
    /// - Throws: `TransportError.transportFailure` when the library is too old or lacks TLS.
    package static func load() throws(TransportError) -> CurlLibrary { try outcome.get() }

    /// Says why a library of this version cannot be used.
    ///
    /// - Parameters:
    ///   - number: version as a number, `0xMMNNPP`.
    ///   - text: the same for people.
    ///   - hasTLS: whether it speaks https.
    /// - Returns: the reason, nil when it can be used.
    static func objection(number: UInt32, text: String, hasTLS: Bool) -> String? {
        if number < oldestVersion { return "libcurl \(text) is too old: haul needs 7.87.0 or newer" }
        return hasTLS ? nil : "libcurl \(text) was built without TLS"
    }

    private static func prepare() -> Result<CurlLibrary, TransportError> {
        let code = haul_global_init()
        guard code == CURLE_OK, let found = unsafe haul_version_info() else {
            return .failure(.transportFailure(detail: "libcurl does not start"))
        }
        let version = unsafe found.pointee.version.map { unsafe String(cString: $0) } ?? "?"
        let tls = unsafe found.pointee.ssl_version.map { unsafe String(cString: $0) }
        let number = unsafe found.pointee.version_num
        if let reason = objection(number: number, text: version, hasTLS: tls != nil) {
            return .failure(.transportFailure(detail: reason))
        }
        return .success(
            CurlLibrary(
                components: ["libcurl/\(version)", tls].compactMap(\.self).joined(separator: " "), version: number))
    }
}
