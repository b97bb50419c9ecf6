import HaulCore
import HaulSystem

extension DownloadError {
    /// The file system's word, told to the outside.
    init(_ error: SystemError, range: ByteRange? = nil) {
        let code: Code =
            if error.isNoSpace {
                .diskFull
            } else if error.isLocked {
                .partialInUse
            } else if error.isExists {
                .outputExists
            } else {
                .fileSystem
            }
        self.init(code, error.message, range: range.map { $0.lowerBound..<$0.upperBound }, cause: error.cause)
    }

    /// The transfer's word, told to the outside.
    ///
    /// - Parameters:
    ///   - failure: what happened.
    ///   - url: where.
    ///   - final: the address that answered, if redirects led to another.
    ///   - advice: what to do about a network that does not work.
    init(
        _ failure: TransferFailure, url: ResourceURL, at final: ResourceURL? = nil,
        advice: String = "run the same command to go on"
    ) {
        switch failure {
        case .network(let error, let attempts):
            self.init(error, attempts: attempts, url: url, advice: advice)
        case .stalled(let attempts):
            self.init(
                .unreachable,
                "\(url.host) sent nothing for too long\(attempts == 1 ? "" : ", \(attempts) times in a row"): \(advice)",
                url: url.redacted)
        case .refused(let refusal):
            self.init(refusal, url: url, at: final ?? url)
        case .changed(let reason):
            self.init(
                .resourceChanged,
                "\(url.redacted) keeps changing while it is fetched (\(reason)): try again when it has settled",
                url: url.redacted)
        }
    }

    private init(_ error: TransportError, attempts: Int, url: ResourceURL, advice: String) {
        switch error {
        case .cancelled:
            self = .cancelledKeeping
        case .tls(let detail):
            self.init(
                .tls,
                "TLS with \(url.host) failed: \(detail): check the address, or name whom to trust with --cacert",
                url: url.redacted, cause: detail)
        case .tlsVersion(let detail):
            self.init(
                .tls,
                "TLS with \(url.host) failed: \(detail): the server speaks none of the versions that are wanted: "
                    + "allow an older one with --tls-min",
                url: url.redacted, cause: detail)
        case .noInterface(_, let detail):
            self.init(
                .unreachable, "\(error.summary): give one that is there with --interface, or leave it out",
                url: url.redacted, cause: detail)
        case .proxyLogin(let detail):
            self.init(
                .unreachable, "\(url.redacted): \(error.summary): \(Self.proxyAdvice)", url: url.redacted,
                cause: detail)
        default:
            let tries = attempts == 1 ? "" : " (\(attempts) attempts without progress)"
            self.init(
                .unreachable, "\(url.redacted): \(error.summary)\(tries): \(advice)",
                url: url.redacted, cause: error.summary)
        }
    }

    private static let proxyAdvice =
        "the proxy wants a name and password, or others: give them with --proxy http://NAME:PASSWORD@HOST:PORT"

    private init(_ refusal: AnswerRefusal, url: ResourceURL, at final: ResourceURL) {
        switch refusal {
        case .status(let status, let retryAfter):
            let advice =
                switch status {
                case 401 where final.origin != url.origin:
                    "\(final.host) wants a name and password: "
                        + "--netrc has them by host, and --location-trusted sends those of --user there too"
                case 401: "it wants a name and password, or others: give them with --user"
                case 407: Self.proxyAdvice
                case 403: "the server forbids it: check the address and credentials"
                case 404, 410: "there is nothing at this address: check it"
                case _ where retryAfter.map { $0 > RetryPolicy.longestWait } ?? false:
                    "the server asks to wait \(retryAfter?.wholeSeconds ?? 0) s: run the same command then"
                case 300..<400: "a redirect that leads nowhere: check the address"
                case 400..<500: "the request was refused"
                default: "run the same command later to go on"
                }
            let place = final.redacted == url.redacted ? "" : " at \(final.redacted)"
            self.init(
                .refused(status: status), "\(url.redacted): HTTP \(status)\(place): \(advice)", url: url.redacted)
        case .unsatisfiable:
            self.init(.refused(status: 416), "\(url.redacted): HTTP 416: the server serves no range", url: url.redacted)
        default:
            self.init(
                .refused(status: 0), "\(url.redacted): \(refusal.summary): nothing was written from it",
                url: url.redacted)
        }
    }

    /// The caller cancelled.
    static let cancelledKeeping = DownloadError(
        .cancelled, "interrupted: what was received is kept, run the same command to go on")

    /// The caller cancelled and wants nothing of it.
    static let cancelledDiscarding = DownloadError(
        .cancelled, "cancelled: what was received is thrown away, start again to fetch it from the beginning")

    /// The downloader takes nothing any more.
    static let shutDown = DownloadError(
        .cancelled, "the downloader was shut down: what was received is kept, make another one to go on")
}
