#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A thread of its own, to be joined once (`pthread_create(3)`).
struct OriginThread: @unchecked Sendable {
    // Unchecked for Darwin alone, where `pthread_t` is a pointer: it is only ever passed to `pthread_join`.
    private let thread: pthread_t

    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread.
    ///
    /// - Throws: `OriginError` when the system has no more threads.
    init(_ run: @escaping @Sendable () -> Void) throws(OriginError) {
        let body = Unmanaged.passRetained(Body(run))
        #if canImport(Darwin)
            var thread: pthread_t?
            let code = pthread_create(&thread, nil, { Self.main($0) }, body.toOpaque())
        #else
            var thread = pthread_t()
            let code = pthread_create(&thread, nil, { Self.main($0) }, body.toOpaque())
        #endif
        guard code == 0 else {
            body.release()
            throw OriginError(call: "pthread_create", code: code)
        }
        #if canImport(Darwin)
            guard let thread else { throw OriginError(call: "pthread_create", code: EAGAIN) }
        #endif
        self.thread = thread
    }

    /// Waits for its end.
    func join() { pthread_join(thread, nil) }

    private static func main(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
        return nil
    }
}
