#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An HTTP/1.1 origin on 127.0.0.1: blocking sockets, a thread for each connection.
///
/// It plays what an `OriginResponder` decides. Dropping the last reference stops it.
package final class OriginServer: Sendable {
    /// Port on which it listens.
    package let port: UInt16

    private let core: OriginServerCore

    /// Starts an origin; it accepts connections when the initializer returns.
    ///
    /// - Throws: `OriginError` when there is no socket, port or thread to be had.
    package init(_ configuration: OriginConfiguration) throws(OriginError) {
        let listener = socket(AF_INET, OriginPlatform.stream, 0)
        guard listener >= 0 else { throw OriginError(call: "socket", code: errno) }
        do throws(OriginError) {
            port = try Self.listen(listener, port: configuration.port)
            core = try OriginServerCore(configuration, listener: listener)
        } catch {
            close(listener)
            throw error
        }
        do throws(OriginError) {
            try core.launch()
        } catch {
            core.stop()
            throw error
        }
    }

    /// Starts an origin that serves `resources` without limits.
    ///
    /// - Throws: `OriginError` when there is no socket, port or thread to be had.
    package convenience init(_ resources: OriginResource...) throws(OriginError) {
        try self.init(OriginConfiguration(resources))
    }

    deinit { core.stop() }

    /// Stops it: every connection is shut down, every thread has ended when this returns.
    package func stop() { core.stop() }

    /// Address of a resource.
    ///
    /// - Parameter path: the resource's path, beginning with `/`.
    /// - Returns: the absolute address.
    package func url(for path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Every request so far.
    package var requests: [OriginRecord] { core.withResponder { $0.records } }

    /// Bytes of body that were handed to the network so far, for all requests together.
    package var bytesSent: Int64 { core.withResponder { $0.bytesSent } }

    /// Number of connections accepted so far, refused ones included.
    package var connectionsAccepted: Int { core.withResponder { $0.connectionsAccepted } }

    /// The largest number of connections that were open at once.
    package var connectionsPeak: Int { core.withResponder { $0.connectionsPeak } }

    /// The largest number of answers that were under way at once.
    package var exchangesPeak: Int { core.withResponder { $0.exchangesPeak } }

    /// Empties the log of requests; counters stay.
    package func forgetRequests() { core.withResponder { $0.forgetRecords() } }

    /// Puts a resource in the place of the one with the same path, or adds it; what is known of it stays.
    package func replace(_ resource: OriginResource) {
        core.withResponder { $0.replace(resource) }
    }

    /// Changes the limits of the whole origin while it runs; connections that are silent already stay so.
    ///
    /// - Parameters:
    ///   - rate: bytes a second from now on, nil for no limit.
    ///   - count: bytes of bodies from now on after which it falls silent, nil for never.
    package func limit(rate: Int64? = nil, silentAfter count: Int64? = nil) {
        core.setTotalRate(rate)
        core.withResponder { responder in
            responder.configuration.silentAfter = count.map { responder.bytesSent + $0 }
        }
    }

    /// Shuts down every open connection, as a network that went away does; new ones are served.
    package func dropConnections() { core.dropConnections() }

    private static func listen(_ descriptor: Int32, port: UInt16) throws(OriginError) -> UInt16 {
        OriginPlatform.set(descriptor, SOL_SOCKET, SO_REUSEADDR, to: 1)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer -> (call: String, result: Int32) in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard bind(descriptor, pointer, size) == 0 else { return ("bind", -1) }
                #if canImport(Darwin)
                    guard Darwin.listen(descriptor, 1024) == 0 else { return ("listen", -1) }
                #elseif canImport(Musl)
                    guard Musl.listen(descriptor, 1024) == 0 else { return ("listen", -1) }
                #else
                    guard Glibc.listen(descriptor, 1024) == 0 else { return ("listen", -1) }
                #endif
                return ("getsockname", getsockname(descriptor, pointer, &size))
            }
        }
        guard bound.result == 0 else { throw OriginError(call: bound.call, code: errno) }
        return UInt16(bigEndian: address.sin_port)
    }
}
