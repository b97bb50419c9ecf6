import HaulCore
import HaulCurl
import HaulSystem

/// What this build of haul is made of.
public enum Build {
    /// haul's version.
    public static let version = "0.1.0"
    /// libcurl, its TLS library and what computes CRC-32C, for `haul --version`.
    public static var components: String {
        let curl: String
        do { curl = try CurlLibrary.load().components } catch { curl = error.summary }
        return curl + " crc32c/" + HardwareCRC32C.backend
    }
}
