import Glibc

/// Whole reads and writes on descriptors, for tests.
enum Descriptor {
    /// Reads to the end, then closes.
    ///
    /// The end is also there when `isOver` holds and nothing is left to read: a process may leave others behind that keep
    /// its output open.
    static func readAll(_ descriptor: Int32, until isOver: () -> Bool, _ take: ([UInt8]) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let wasOver = isOver()
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&state, 1, 100)
            if ready == 0 || (ready < 0 && errno == EINTR) {
                if wasOver { break }
                continue
            }
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            take(Array(buffer[..<count]))
        }
        close(descriptor)
    }

    /// Writes everything, or as much as the reader wants.
    static func write(_ bytes: [UInt8], to descriptor: Int32) {
        // A reader that left must not be the end of all tests.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
    }
}
