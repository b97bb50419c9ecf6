#if HAUL_TSAN
    import Synchronization

    /// Takes the place of the standard library's `Mutex` when the Thread Sanitizer runs, which does not see that one's
    /// lock on Linux and reports what it guards.
    ///
    /// `@unchecked Sendable`: `value` is touched by the holder of `isLocked` only.
    @safe struct Mutex<Value>: ~Copyable, Sendable {
        private final class Storage: @unchecked Sendable {
            let isLocked = Atomic(false)
            var value: Value

            init(_ value: Value) { self.value = value }
        }

        private let storage: Storage

        /// Makes a lock around `value`.
        init(_ value: sending Value) { storage = Storage(value) }

        /// Runs `body` while nobody else does.
        borrowing func withLock<Result, Failure: Error>(
            _ body: (inout Value) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            while storage.isLocked.exchange(true, ordering: .acquiring) {}
            defer { storage.isLocked.store(false, ordering: .releasing) }
            return try body(&storage.value)
        }
    }
#endif
