import Glibc
import HaulOrigin
import HaulTestSupport

/// A SOCKS 5 proxy (RFC 1928) that leads everybody to one port of this machine.
final class SocksProxy: Sendable {
    /// Port on which it listens.
    let port: UInt16

    private let target: UInt16
    private let seen = OriginLock<[String]>([])
    private let greeted = OriginLock(0)

    /// Number of connections that came.
    var connections: Int { greeted.withLock { $0 } }

    /// Names of hosts that were asked for.
    var hosts: [String] { seen.withLock { $0 } }

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - target: port of this machine to which it leads.
    ///   - wantsPassword: whether it wants a name and password (RFC 1929), of which none is right.
    /// - Throws: that no port is to be had (`listen(2)`).
    init(to target: UInt16, wantsPassword: Bool = false) throws {
        self.target = target
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) | listen(listener, 16) | getsockname(listener, $0, &size)
            }
        }
        guard result == 0 else { throw ProcessError(call: "listen", path: "", code: errno) }
        port = UInt16(bigEndian: address.sin_port)
        // Ends with the test program.
        BackgroundThread.detach { [seen, greeted] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                BackgroundThread.detach {
                    greeted.withLock { $0 += 1 }
                    wantsPassword ? Self.refuse(client) : Self.serve(client, target, seen)
                }
            }
        }
    }

    private static func serve(_ client: Int32, _ target: UInt16, _ seen: OriginLock<[String]>) {
        defer { close(client) }
        guard let greeting = take(client, 2), take(client, Int(greeting[1])) != nil else { return }
        send(client, [5, 0])
        guard let head = take(client, 5), head[3] == 3, let name = take(client, Int(head[4])), take(client, 2) != nil
        else { return }
        seen.withLock { $0.append(String(decoding: name, as: UTF8.self)) }
        let upstream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(upstream) }
        var address = loopback(target)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        send(client, [5, result == 0 ? 0 : 5, 0, 1, 0, 0, 0, 0, 0, 0])
        let way = BackgroundThread.start { pump(client, upstream) }
        pump(upstream, client)
        way.join()
    }

    private static func refuse(_ client: Int32) {
        defer { close(client) }
        guard let greeting = take(client, 2), let methods = take(client, Int(greeting[1])) else { return }
        guard methods.contains(2) else { return send(client, [5, 0xFF]) }
        send(client, [5, 2])
        guard let head = take(client, 2), take(client, Int(head[1])) != nil, let length = take(client, 1),
            take(client, Int(length[0])) != nil
        else { return }
        send(client, [1, 1])
    }

    private static func pump(_ source: Int32, _ target: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = recv(source, &buffer, buffer.count, 0), count > 0 {
            guard Glibc.send(target, buffer, count, Int32(MSG_NOSIGNAL)) == count else { break }
        }
        shutdown(target, Int32(SHUT_RDWR))
        shutdown(source, Int32(SHUT_RDWR))
    }

    private static func take(_ descriptor: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        guard count == 0 || recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count else { return nil }
        return bytes
    }

    private static func send(_ descriptor: Int32, _ bytes: [UInt8]) {
        _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
