import HaulCore
import HaulCurl
import HaulFoundation

extension EngineBench {
    /// How bytes travel: in memory, or over sockets by one of the transports.
    enum Wire: String, CaseIterable, Sendable {
        case scripted
        case curl
        case urlSession

        /// A new transport, nil for the one in memory.
        func socketTransport() throws(TransportError) -> AnyTransport? {
            switch self {
            case .scripted: nil
            case .curl: AnyTransport(try CurlTransport())
            case .urlSession: AnyTransport(URLSessionTransport())
            }
        }
    }
}
