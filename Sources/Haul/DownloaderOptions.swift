/// What all downloads of one `Downloader` share.
///
/// Every default says where it comes from.
public struct DownloaderOptions: Sendable {
    /// Connections at once, over all downloads and hosts; at least 1.
    ///
    /// Default 64: far above what a link needs, and far below a process's usual limit of 1024 descriptors.
    public var maximumConnections = 64
    /// Connections at once to one host; at least 1.
    ///
    /// Counted for the host of a request's address. Default 16, aria2's upper bound and the most that `auto` tries.
    public var maximumConnectionsPerHost = 16
    /// Downloads that receive bytes at once; at least 1.
    ///
    /// More wait for their turn; one that has every byte and only waits for the disk does not count.
    ///
    /// Default 4: enough to hide the time that a file's start and end take, few enough to leave each its connections.
    public var maximumConcurrentDownloads = 4

    /// Bytes of buffers that all downloads together may fill: the write cache.
    ///
    /// Each connection gathers up to 256 KiB before it writes, and libcurl reads up to 512 KiB at a time, so that this is
    /// an upper bound on connections too: 768 KiB each.
    ///
    /// Default 48 MiB: 64 connections.
    public var maximumBufferedBytes: Int64 = 48 << 20
    /// What one connection's buffers take, in bytes: 768 KiB.
    public static let bufferedBytesPerConnection: Int64 = 768 << 10

    /// Makes options with the defaults.
    public init() {}
}
