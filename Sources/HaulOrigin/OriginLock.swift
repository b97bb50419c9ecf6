#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A value that one thread at a time may use (`pthread_mutex_t`).
///
/// It stands in for `Mutex`, which on Linux hands over a contended lock inside the kernel: Thread Sanitizer doesn't see
/// that, and reports a race wherever two threads meet. Every test that runs an origin would be full of such reports.
package final class OriginLock<Value: Sendable>: @unchecked Sendable {
    // Unchecked because the compiler can't know that `value` is only touched between lock and unlock.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var value: Value

    /// Makes a lock around `value`.
    package init(_ value: Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        self.value = value
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the value, while no other thread has it.
    ///
    /// - Parameter body: what uses the value; must not wait for others who need it.
    /// - Returns: what `body` returns.
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
