import Glibc

/// A thread for blocking calls in tests, which would otherwise hold up the few threads of the concurrency runtime.
package struct BackgroundThread: Sendable {
    private let thread: pthread_t

    private final class Body {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread.
    ///
    /// - Parameter run: what it does.
    /// - Returns: the thread, to be joined.
    package static func start(_ run: @escaping @Sendable () -> Void) -> BackgroundThread {
        let body = Unmanaged.passRetained(Body(run))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, body.toOpaque())
        precondition(code == 0, "no thread to be had: error \(code)")
        return BackgroundThread(thread: thread)
    }

    /// Starts a thread that nobody waits for.
    package static func detach(_ run: @escaping @Sendable () -> Void) {
        pthread_detach(start(run).thread)
    }

    /// Waits for its end.
    package func join() { pthread_join(thread, nil) }

    /// Runs something that blocks, away from the concurrency runtime's threads.
    ///
    /// - Parameter body: what blocks.
    /// - Returns: what `body` returns.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            detach { continuation.resume(returning: body()) }
        }
    }
}
