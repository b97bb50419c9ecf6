import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Something that happens once, for tasks to wait for.
final class Signal: Sendable {
    private struct State {
        var hasFired = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Lets every waiting and every later task go on.
    func fire() {
        let waiting = state.withLock { state in
            state.hasFired = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until it has fired.
    func wait() async {
        await withCheckedContinuation { continuation in
            let hasFired = state.withLock { state in
                if !state.hasFired { state.waiting.append(continuation) }
                return state.hasFired
            }
            if hasFired { continuation.resume() }
        }
    }
}

/// Something that happens once, for a server's thread to wait for.
final class Gate: Sendable {
    private let ends: (read: Int32, write: Int32)
    private let isOpen = Atomic(false)

    init() {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0, "no pipe")
        self.ends = (ends[0], ends[1])
    }

    deinit {
        open()
        close(ends.read)
    }

    /// Lets every waiting and every later thread go on.
    func open() {
        if !isOpen.exchange(true, ordering: .relaxed) { close(ends.write) }
    }

    /// Blocks the thread until it is open.
    func wait() {
        var byte: UInt8 = 0
        _ = read(ends.read, &byte, 1)
    }
}

/// Something that is so from one moment on.
final class Flag: Sendable {
    private let value = Atomic(false)

    /// Makes it so; whether it was not so before.
    @discardableResult func set() -> Bool { !value.exchange(true, ordering: .relaxed) }

    /// Whether it is so.
    var isSet: Bool { value.load(ordering: .relaxed) }
}
