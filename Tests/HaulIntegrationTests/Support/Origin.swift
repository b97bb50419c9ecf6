import HaulOrigin
import HaulTestSupport

extension OriginServer {
    /// Bytes of body sent so far, to everybody.
    var bytesSent: Int64 { requests.reduce(0) { $0 + $1.bodyBytes } }
}

/// Starts origins at the port of one that has stopped: for a client it is the same server.
enum Origin {
    /// Words that make the program divide files of a few mebibytes.
    static let smallSplit = ["--min-split-size", "256K"]

    /// Stops `server` and serves `resources` at its address.
    ///
    /// - Parameters:
    ///   - server: which one gives way.
    ///   - resources: what is served from now on, without limits.
    /// - Returns: its successor.
    /// - Throws: `OriginError` when the port is gone.
    static func replacing(_ server: OriginServer, with resources: OriginResource...) throws(OriginError) -> OriginServer
    {
        server.stop()
        var configuration = OriginConfiguration(resources)
        configuration.port = server.port
        return try OriginServer(configuration)
    }

    /// An origin that sends `rate` bytes a second in all, and falls silent after `count` bytes.
    ///
    /// The silence keeps a client from being done before a test on a loaded machine has seen it at work.
    ///
    /// - Parameters:
    ///   - resource: what is served.
    ///   - rate: bytes a second.
    ///   - count: number of bytes, nil for all.
    ///   - server: an origin whose port it takes over.
    /// - Returns: the origin.
    /// - Throws: `OriginError` when there is no port to be had.
    static func limited(
        _ resource: OriginResource, rate: Int64, after count: Int64? = nil, replacing server: OriginServer? = nil
    ) throws(OriginError) -> OriginServer {
        server?.stop()
        var configuration = OriginConfiguration([resource])
        configuration.port = server?.port ?? 0
        configuration.totalRate = rate
        configuration.silentAfter = count
        return try OriginServer(configuration)
    }
}
