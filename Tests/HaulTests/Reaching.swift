import Haul
import HaulOrigin

/// Waits until so many bytes of a download are on hand, or it is over.
func reach(_ count: Int64, _ download: Download) async {
    for await progress in download.progress where progress.received >= count { return }
}

/// Waits until a download is in a state, or over.
func reach(_ state: DownloadState, _ download: Download) async {
    for await now in download.states where now == state { return }
}

extension OriginServer {
    /// An origin that stops sending after some bytes, until it is told to go on.
    static func halting(_ resource: OriginResource, after count: Int64 = 3 << 20) throws -> OriginServer {
        var configuration = OriginConfiguration([resource])
        configuration.silentAfter = count
        return try OriginServer(configuration)
    }
}
