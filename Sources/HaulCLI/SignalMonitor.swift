import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Turns SIGINT, SIGTERM and SIGHUP into a graceful end, and a second one into an immediate end; before SIGTSTP stops the
/// program, it may tidy up.
///
/// The signals are blocked before the first thread exists and taken by `sigwait(3)` on a thread of its own, so no
/// code runs in a signal handler.
final class SignalMonitor: Sendable {
    /// Longest time that a graceful end may take; what is on disk then is as good as after a kill.
    private static let patience = Duration.milliseconds(950)
    /// Shortest time between two wishes: `timeout(1)` and shells send one signal to a process and to its group.
    private static let echo = Duration.milliseconds(100)
    private let first = Atomic<Int32>(0)
    private let onFirst: @Sendable (Int32) -> Void
    private let onSuspension: @Sendable () -> Void
    private let onForcedEnd: @Sendable () -> Void

    private init(
        _ onFirst: @escaping @Sendable (Int32) -> Void, _ onSuspension: @escaping @Sendable () -> Void,
        _ onForcedEnd: @escaping @Sendable () -> Void
    ) {
        self.onFirst = onFirst
        self.onSuspension = onSuspension
        self.onForcedEnd = onForcedEnd
    }

    /// The first signal that came; nil if none did.
    var received: Int32? {
        let signal = first.load(ordering: .acquiring)
        return signal == 0 ? nil : signal
    }

    /// Sets the process up: call it before the first thread exists, since threads inherit the mask.
    ///
    /// SIGPIPE and SIGXFSZ are ignored, so that a closed pipe and a file-size limit are errors of the call that met
    /// them. A SIGHUP that the caller ignores, as `nohup` does, stays ignored.
    static func prepare() {
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
        var set = signals()
        pthread_sigmask(SIG_BLOCK, &set, nil)
        if !isIgnored(SIGTSTP) { mask(SIGTSTP, SIG_BLOCK) }
    }

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - onFirst: called once with the first signal, on the monitor's thread; must not block.
    ///   - onSuspension: called on that thread before SIGTSTP stops the process; must not block.
    ///   - onForcedEnd: called on that thread before the process ends by force.
    /// - Returns: nil when there is no thread to be had.
    static func start(
        onFirst: @escaping @Sendable (Int32) -> Void, onSuspension: @escaping @Sendable () -> Void = {},
        onForcedEnd: @escaping @Sendable () -> Void = {}
    ) -> SignalMonitor? {
        let monitor = SignalMonitor(onFirst, onSuspension, onForcedEnd)
        // The thread lives as long as the process and keeps the monitor.
        return spawn(Unmanaged.passRetained(monitor).toOpaque()) == 0 ? monitor : nil
    }

    /// Starts the thread.
    ///
    /// `pthread_create(3)`.
    ///
    /// - Parameter context: the monitor, retained.
    /// - Returns: errno, or 0.
    private static func spawn(_ context: UnsafeMutableRawPointer) -> Int32 {
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        return pthread_create(
            &thread, nil,
            { context in
                #if canImport(Darwin)
                    let context = Optional(context)
                #endif
                if let context { Unmanaged<SignalMonitor>.fromOpaque(context).takeUnretainedValue().listen() }
                return nil
            }, context)
    }

    private func listen() -> Never {
        var set = Self.signals()
        var number: Int32 = 0
        var suspensible = set
        if !Self.isIgnored(SIGTSTP) { sigaddset(&suspensible, SIGTSTP) }
        while sigwait(&suspensible, &number) != 0 || number == SIGTSTP {
            guard number == SIGTSTP else { continue }
            onSuspension()
            // Only this thread lets it through: it stops all of them here, until SIGCONT.
            Self.mask(SIGTSTP, SIG_UNBLOCK)
            kill(getpid(), SIGTSTP)
            Self.mask(SIGTSTP, SIG_BLOCK)
        }
        first.store(number, ordering: .releasing)
        onFirst(number)
        let status = 128 + (Self.second(&set, after: number) ?? number)
        onForcedEnd()
        Platform.exit(status)
    }

    /// Waits for another signal as long as patience lasts; the same one at the same moment is no other.
    private static func second(_ set: inout sigset_t, after first: Int32) -> Int32? {
        #if canImport(Darwin)
            usleep(UInt32(TimeSpan.seconds(patience) * 1e6))
            return nil
        #else
            let clock = ContinuousClock()
            let start = clock.now
            let deadline = start + patience
            while case let left = deadline - clock.now, left > .zero {
                var timeout = timespec(tv_sec: 0, tv_nsec: Int(TimeSpan.seconds(left) * 1e9))
                let number = sigtimedwait(&set, nil, &timeout)
                if number > 0, number != first || clock.now - start > echo { return number }
            }
            return nil
        #endif
    }

    /// Lets a signal through to the calling thread, or not.
    ///
    /// `pthread_sigmask(3)`.
    private static func mask(_ number: Int32, _ how: Int32) {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(how, &set, nil)
    }

    private static func signals() -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        if !isIgnored(SIGHUP) { sigaddset(&set, SIGHUP) }
        return set
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #else
            let handler = action.__sigaction_handler.sa_handler
        #endif
        // SIG_IGN is the address 1.
        return unsafeBitCast(handler, to: Int.self) == 1
    }
}
