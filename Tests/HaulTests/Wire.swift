import HaulCore
import HaulCurl

extension EngineBench {
    /// How bytes travel: in memory, or over sockets by libcurl.
    ///
    /// No URLSession here: these tests run under Thread Sanitizer too, and Foundation is not built for it.
    enum Wire: String, CaseIterable, Sendable {
        case scripted
        case curl

        /// A new transport, nil for the one in memory.
        func socketTransport() throws(TransportError) -> AnyTransport? {
            switch self {
            case .scripted: nil
            case .curl: AnyTransport(try CurlTransport())
            }
        }
    }
}
