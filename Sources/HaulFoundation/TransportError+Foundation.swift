import Foundation
import HaulCore

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension TransportError {
    /// Says in our terms how a task failed.
    ///
    /// - Parameters:
    ///   - error: what URLSession gave.
    ///   - request: what was sent.
    ///   - afterHead: whether the final head had come.
    init(_ error: any Error, for request: TransferRequest, afterHead: Bool) {
        let detail = error.localizedDescription
        guard let code = (error as? URLError)?.code else {
            self = afterHead ? .brokenInBody(detail: detail) : .brokenBeforeHead(detail: detail)
            return
        }
        switch code {
        case .cancelled: self = .cancelled
        case .cannotFindHost, .dnsLookupFailed: self = .nameNotResolved(host: request.url.host)
        case .cannotConnectToHost: self = .connectionRefused(host: request.url.host, port: request.url.port)
        case .notConnectedToInternet: self = .connectionFailed(detail: detail)
        case .timedOut: self = afterHead ? .brokenInBody(detail: detail) : .connectTimedOut
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            self = .tls(detail: detail)
        // Addresses have been judged: a protocol that is not known is what the answer speaks.
        case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData, .unsupportedURL:
            self = .malformedResponse(detail: detail)
        case .badURL: self = .transportFailure(detail: detail)
        default: self = afterHead ? .brokenInBody(detail: detail) : .brokenBeforeHead(detail: detail)
        }
    }
}
