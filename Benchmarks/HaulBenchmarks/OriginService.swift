import HaulOrigin

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The origin's process: serves a plan, and says on standard output how far it is.
///
/// Lines: `port N` at the beginning, `at SECONDS BYTES` fifty times a second, and, once `end` came on standard input,
/// `end BYTES REQUESTS CONNECTIONS REFUSALS`. When standard input ends, so does the process.
enum OriginService {
    /// Serves until told to end.
    static func run(_ plan: OriginPlan) -> Int32 {
        let server: OriginServer
        do {
            server = try OriginServer(plan.configuration)
        } catch {
            Platform.note("haul-bench: the origin does not start: \(error.call): errno \(error.code)")
            return 1
        }
        Platform.print("port \(server.port)")
        var last: Int64 = -1
        while true {
            var event = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
            let ready = poll(&event, 1, 20)
            let bytes = server.bytesSent
            if bytes != last { Platform.print("at \(Platform.now) \(bytes)") }
            last = bytes
            guard ready > 0 else { continue }
            var command: UInt8 = 0
            guard read(0, &command, 1) == 1 else { return 0 }
            let refusals = server.requests.count { $0.status >= 400 }
            Platform.print(
                "end \(server.bytesSent) \(server.requests.count) \(server.connectionsAccepted) \(refusals)")
            return 0
        }
    }
}
