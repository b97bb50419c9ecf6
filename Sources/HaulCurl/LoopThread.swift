import CCurl

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Starts the named threads of the transfer loops.
enum LoopThread {
    private final class Body {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }

    /// Starts a detached thread which takes no signals and ends when `run` returns.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes, shown by debuggers and in `/proc`.
    ///   - run: what the thread does.
    /// - Returns: whether the system gave a thread.
    ///
    /// C function: `pthread_create`.
    static func start(name: String, _ run: @escaping @Sendable () -> Void) -> Bool {
        let body = unsafe Unmanaged.passRetained(Body(name: name, run: run))
        #if canImport(Darwin)
            var thread: pthread_t?
            let code = unsafe pthread_create(&thread, nil, { LoopThread.main($0) }, body.toOpaque())
            if code == 0, let thread = unsafe thread { _ = unsafe pthread_detach(thread) }
        #else
            var thread = pthread_t()
            let code = unsafe pthread_create(&thread, nil, { unsafe LoopThread.main($0) }, body.toOpaque())
            if code == 0 { _ = pthread_detach(thread) }
        #endif
        if code != 0 { unsafe body.release() }
        return code == 0
    }

    private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context = unsafe context else { return nil }
        let body = unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
        blockSignals()
        unsafe haul_name_thread(body.name)
        body.run()
        return nil
    }

    /// Leaves signals to the program's own threads; a blocked SIGPIPE also keeps OpenSSL from ending the process.
    private static func blockSignals() {
        var signals = sigset_t()
        _ = unsafe sigfillset(&signals)
        for fault in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGPROF] {
            _ = unsafe sigdelset(&signals, fault)
        }
        _ = unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
