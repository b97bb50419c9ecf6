/// What a metalink says about one file.
public enum MetalinkEntry: Sendable {
    /// A file to fetch: its addresses, name, size and digests.
    case request(DownloadRequest)
    /// A file that can't be fetched; the message says where and why. The others are not concerned.
    case unusable(DownloadError)
    /// Something that was passed over, in one line.
    case notice(String)
}
