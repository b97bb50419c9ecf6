/// What this build of haul is made of.
public enum Build {
    /// haul's version.
    public static let version = "0.1.0"
    /// libcurl, its TLS library and what computes CRC-32C, for `haul --version`.
    public static var components: String { "" }
}
