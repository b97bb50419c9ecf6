import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The server's end of one connection: blocking reads and writes, no HTTP but what the test says.
final class RawConnection: Sendable {
    /// Which connection of its server this is, from 0.
    let number: Int
    private let descriptor: Int32
    private let isOpenFlag = Atomic(true)

    /// Whether everything could be sent so far.
    var isOpen: Bool { isOpenFlag.load(ordering: .relaxed) }

    init(number: Int, descriptor: Int32) {
        self.number = number
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Reads one request head.
    ///
    /// - Returns: its text, nil when the client has closed.
    func readRequest() -> String? {
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            var byte: UInt8 = 0
            guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Sends everything; a client that has gone is no error.
    func write(_ bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            let sent = bytes[start...].withUnsafeBytes {
                send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return isOpenFlag.store(false, ordering: .relaxed) }
            start += sent
        }
    }

    /// Sends a text.
    func write(_ text: String) { write(Array(text.utf8)) }

    /// Waits until the client closes; what it sends meanwhile is dropped.
    func waitForClose() {
        var byte: UInt8 = 0
        while recv(descriptor, &byte, 1, 0) > 0 {}
    }

    /// Ends the connection with a reset instead of an end of file.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        // Linger acts at the last close, which `deinit` does: no other copy of the descriptor exists.
    }
}
