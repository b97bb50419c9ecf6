import HaulCore
import HaulCurl
import Testing

/// Makes a request for an address that the test wrote.
func request(
    _ text: String, _ change: (inout TransferRequest) -> Void = { _ in }
) throws -> TransferRequest {
    let url = try CurlTransport().parse(text, relativeTo: nil)
    var request = TransferRequest(url: url)
    change(&request)
    return request
}

extension CurlTransport {
    /// Sends a request and gives what came of it as a value.
    func outcome(
        _ request: TransferRequest, on slot: Int = 0, to receiver: some ResponseReceiver
    ) async -> Result<TransferSummary, TransportError> {
        do throws(TransportError) {
            return .success(try await send(request, on: Slot(slot), to: receiver))
        } catch {
            return .failure(error)
        }
    }
}

extension Result where Failure == TransportError {
    /// The error, nil if there was none.
    var error: TransportError? {
        if case .failure(let error) = self { error } else { nil }
    }
}

/// Bytes that differ from their neighbours.
func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) } }

/// A whole answer with a length.
func answer(_ body: String, status: String = "200 OK", fields: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
}
