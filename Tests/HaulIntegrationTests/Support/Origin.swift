import HaulOrigin
import HaulTestSupport

extension OriginServer {
    /// Bytes of body sent so far, to everybody.
    var bytesSent: Int64 { requests.reduce(0) { $0 + $1.bodyBytes } }
}

/// Origins with limits.
enum Origin {
    /// Words that make the program divide files of a few mebibytes.
    static let smallSplit = ["--min-split-size", "256K"]

    /// An origin that sends `rate` bytes a second in all, and falls silent after `count` bytes.
    ///
    /// The silence keeps a client from being done before a test on a loaded machine has seen it at work.
    ///
    /// - Parameters:
    ///   - resource: what is served.
    ///   - rate: bytes a second.
    ///   - count: number of bytes, nil for all.
    /// - Returns: the origin.
    /// - Throws: `OriginError` when there is no port to be had.
    static func limited(
        _ resource: OriginResource, rate: Int64, after count: Int64? = nil
    ) throws(OriginError) -> OriginServer {
        var configuration = OriginConfiguration([resource])
        configuration.totalRate = rate
        configuration.silentAfter = count
        return try OriginServer(configuration)
    }
}
