import HaulCore
import HaulSystem

#if canImport(HaulCurl)
    import HaulCurl
#endif

/// What this build of haul is made of.
public enum Build {
    /// haul's version.
    public static let version = "0.1.0"
    /// libcurl, its TLS library and what computes CRC-32C, for `haul --version`.
    public static var components: String {
        network + " crc32c/" + HardwareCRC32C.backend
    }

    private static var network: String {
        #if canImport(HaulCurl)
            do { return try CurlLibrary.load().components } catch { return error.summary }
        #else
            return "without libcurl"
        #endif
    }
}
