import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A listening socket on 127.0.0.1 with a thread for each connection, which does what the test's handler says.
///
/// It lives as long as the process: a test that only needs its address holds no reference while a request is on its way.
final class RawServer: Sendable {
    typealias Handler = @Sendable (RawConnection) -> Void

    /// The port the system chose.
    let port: Int
    private let descriptor: Int32
    private let accepted = Mutex(0)

    /// Starts to listen.
    init(_ handler: @escaping Handler) {
        let (descriptor, port) = Self.listen(backlog: 128)
        precondition(descriptor >= 0, "no socket")
        self.descriptor = descriptor
        self.port = port
        Self.startThread { [self] in
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else { return }
                let number = count()
                Self.startThread { handler(RawConnection(number: number, descriptor: client)) }
            }
        }
    }

    /// A server that reads requests and answers each by `answer`, until the client closes.
    convenience init(answering answer: @escaping @Sendable (_ request: String, RawConnection) -> Void) {
        self.init { connection in
            while let request = connection.readRequest() { answer(request, connection) }
        }
    }

    /// How many connections came so far.
    var connectionCount: Int { accepted.withLock(\.self) }

    /// Address of a path here.
    func url(_ path: String = "/file") -> String { "http://127.0.0.1:\(port)\(path)" }

    private func count() -> Int {
        accepted.withLock {
            $0 += 1
            return $0 - 1
        }
    }

    /// A port where nobody listens.
    static func closedPort() -> Int {
        let (descriptor, port) = listen(backlog: 1)
        close(descriptor)
        return port
    }

    /// A socket that listens on a port of the system's choice.
    static func listen(backlog: Int32) -> (descriptor: Int32, port: Int) {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = bind(descriptor, address, length)
                _ = listen_(descriptor, backlog)
                _ = getsockname(descriptor, address, &length)
            }
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// 127.0.0.1 and a port.
    static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) {
        final class Box {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        let box = Unmanaged.passRetained(Box(body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = pthread_create(
            &thread, nil,
            { context in
                #if canImport(Darwin)
                    Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
                #else
                    if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
                #endif
                return nil
            }, box.toOpaque())
        precondition(code == 0, "no thread")
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }
}

private func listen_(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }

/// A port whose queue of connections is full: a connect to it hangs.
final class FullListener: Sendable {
    /// The port.
    let port: Int
    private let descriptors: [Int32]

    init() {
        let (listener, port) = RawServer.listen(backlog: 0)
        self.port = port
        var descriptors = [listener]
        for _ in 0..<4 {
            #if canImport(Glibc)
                let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #else
                let client = socket(AF_INET, SOCK_STREAM, 0)
            #endif
            _ = fcntl(client, F_SETFL, O_NONBLOCK)
            var address = RawServer.loopback(port: port)
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            descriptors.append(client)
        }
        self.descriptors = descriptors
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
