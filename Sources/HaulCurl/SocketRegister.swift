#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Knows the sockets that one loop's libcurl has made.
///
/// Before a request goes over an idle connection somebody must look whether bytes wait in it that nobody asked for;
/// libcurl 7 does not, and gives its socket only after the transfer (`CURLINFO_ACTIVESOCKET`). So each new socket is
/// noted, and found again by its port. Numbers of closed sockets stay behind and are told by their port too.
final class SocketRegister {
    private var sockets: Set<Int32> = []
    /// Sockets that were found by their local port: looked at first.
    private var found: [Int32: Int32] = [:]

    /// Notes a new socket.
    func add(_ socket: Int32) { sockets.insert(socket) }

    /// Whether something waits to be read from the connection with this local port.
    ///
    /// It is an answer to an earlier request, or the end; the next answer is not to be read from there.
    func hasInput(localPort: Int32, remotePort: Int32) -> Bool {
        let known = found[localPort].flatMap { Self.joins($0, localPort, remotePort) ? $0 : nil }
        guard let socket = known ?? sockets.first(where: { Self.joins($0, localPort, remotePort) }) else {
            return false
        }
        found[localPort] = socket
        var byte: UInt8 = 0
        return unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0
    }

    private static func joins(_ socket: Int32, _ localPort: Int32, _ remotePort: Int32) -> Bool {
        unsafe port(socket, of: getsockname) == localPort && port(socket, of: getpeername) == remotePort
    }

    private typealias NameCall = (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32

    private static func port(_ socket: Int32, of end: NameCall) -> Int32? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout.size(ofValue: storage))
        return unsafe withUnsafeMutableBytes(of: &storage) { bytes -> Int32? in
            guard let start = bytes.baseAddress else { return nil }
            let address = unsafe start.assumingMemoryBound(to: sockaddr.self)
            guard unsafe end(socket, address, &length) == 0 else { return nil }
            switch Int32(unsafe address.pointee.sa_family) {
            // The port follows the family in both kinds.
            case AF_INET, AF_INET6:
                return unsafe Int32(UInt16(bigEndian: start.load(fromByteOffset: 2, as: UInt16.self)))
            default: return nil
            }
        }
    }
}
