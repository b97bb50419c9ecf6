#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The few places where systems differ.
enum OriginPlatform {
    #if canImport(Darwin)
        /// Flags for `send(2)`; a peer that left is kept from raising SIGPIPE by `SO_NOSIGPIPE`.
        static let sendFlags: Int32 = 0
        /// Event for `poll(2)` that says that the peer has closed its side; this system has none.
        static let peerClosed: Int16 = 0
        /// Type of a TCP socket.
        static let stream = SOCK_STREAM
    #else
        /// Flags for `send(2)`: a peer that left is an error and never a SIGPIPE.
        static let sendFlags = Int32(MSG_NOSIGNAL)
        /// Event for `poll(2)`: the peer has closed its side (`POLLRDHUP`).
        static let peerClosed: Int16 = 0x2000
        /// Type of a TCP socket, closed on exec.
        static let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #endif

    /// Sets an option whose value is a number (`setsockopt(2)`).
    static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, to value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Prepares a connection that was just accepted.
    static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, to: 1)
        #if canImport(Darwin)
            set(descriptor, SOL_SOCKET, SO_NOSIGPIPE, to: 1)
        #endif
    }

    /// Makes `close(2)` break the connection (`SO_LINGER` with 0).
    static func armReset(_ descriptor: Int32) {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    /// Bytes sent that the peer has not acknowledged yet (`SIOCOUTQ`).
    static func unacknowledged(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            return 0
        #else
            var count: Int32 = 0
            return ioctl(descriptor, 0x5411, &count) == 0 ? count : 0
        #endif
    }
}
