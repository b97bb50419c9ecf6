import Glibc
import HaulTestSupport

/// A port where connections neither come about nor fail: it listens, and its queue is full.
final class BlackHole: Sendable {
    /// The port.
    let port: UInt16
    private let sockets: [Int32]

    /// Opens the port and fills its queue.
    init() throws(ProcessError) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw ProcessError(call: "socket", path: "", code: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, size) | listen(listener, 0) | getsockname(listener, pointer, &size)
            }
        }
        guard result == 0 else { throw ProcessError(call: "bind", path: "", code: errno) }
        port = UInt16(bigEndian: address.sin_port)
        var sockets = [listener]
        for _ in 0..<4 {
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let filler = socket(AF_INET, kind, 0)
            _ = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(filler, $0, size) }
            }
            sockets.append(filler)
        }
        self.sockets = sockets
    }

    deinit { for descriptor in sockets { close(descriptor) } }

    /// Number of connections that wait to come about, fillers included (`/proc/net/tcp`, state `SYN_SENT`).
    var waiting: Int {
        guard let table = try? FileContents.read("/proc/net/tcp") else { return 0 }
        let hexadecimal = String(port, radix: 16, uppercase: true)
        let place = "0100007F:" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
        return String(decoding: table, as: UTF8.self).split(separator: "\n").count { line in
            let words = line.split(separator: " ")
            return words.count > 3 && words[2] == place && words[3] == "02"
        }
    }
}
