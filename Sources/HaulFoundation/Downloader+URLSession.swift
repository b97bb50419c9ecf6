public import Haul
import HaulCore

extension Downloader {
    /// Makes a downloader whose requests go through URLSession instead of libcurl.
    ///
    /// Everything else is the same: ranges, retries, journal, checks. Meant for platforms without libcurl; where there
    /// is one, `Downloader(options:)` is faster and can do more. Trust, proxies and routes are the system's: an option
    /// that asks for others fails with `invalidRequest`. On Linux two hostile answers end the process inside
    /// FoundationNetworking; what else differs is in <doc:Platforms>.
    ///
    /// - Parameter options: what its downloads share; numbers below 1 count as 1.
    /// - Returns: the downloader; sessions begin with its first download.
    public static func overURLSession(options: DownloaderOptions = DownloaderOptions()) -> Downloader {
        Downloader(
            options: options,
            network: NetworkChoice(
                make: { () throws(TransportError) in AnyTransport(URLSessionTransport()) },
                parse: { (text, base) throws(InvalidURL) in try FoundationURLParser.parse(text, relativeTo: base) },
                objection: \.sessionObjection))
    }
}
