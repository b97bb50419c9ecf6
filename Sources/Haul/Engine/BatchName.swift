import Synchronization

/// The name of one download of a batch.
final class BatchName: Sendable {
    private struct State {
        /// The path that was wanted, without a number.
        var wanted: String
        /// The path that is taken.
        var taken: String
    }

    private let registry: NameRegistry
    private let state: Mutex<State>

    /// Takes a name.
    ///
    /// - Parameters:
    ///   - path: the wanted path, as far as it is known before the server is asked.
    ///   - registry: names of the batch.
    init(_ path: String, in registry: NameRegistry) {
        self.registry = registry
        state = Mutex(State(wanted: path, taken: registry.claim(path)))
    }

    /// Permission bits of the finished file, common to the batch.
    var fileMode: UInt32 { registry.fileMode }

    /// Whether nothing but a finished file can stand in the way of a path; see `BatchDirectories`.
    ///
    /// - Parameters:
    ///   - paths: the path's.
    ///   - now: the time.
    ///   - threads: where directories are looked at.
    /// - Returns: false if not, or if that has to be looked at for this file alone.
    func isClear(_ paths: DownloadPaths, now: Duration, on threads: DiskThreads) -> Bool {
        registry.directories.areClear(paths, now: now) { work in
            Task(executorPreference: threads.writes) { work() }
        }
    }

    /// Whether small files are made without a name first, as long as none was refused that.
    var makesUnnamed: Bool {
        get { registry.makesUnnamed.load(ordering: .relaxed) }
        set { registry.makesUnnamed.store(newValue, ordering: .relaxed) }
    }

    /// The path that is taken.
    var path: String { state.withLock { $0.taken } }

    /// Takes another name, since the server gave one.
    ///
    /// - Parameter wanted: the path that follows from it.
    /// - Returns: that path, or one with a number.
    func change(to wanted: String) -> String {
        state.withLock { state in
            guard wanted != state.wanted else { return state.taken }
            registry.release(state.taken)
            state = State(wanted: wanted, taken: registry.claim(wanted))
            return state.taken
        }
    }

    /// Takes note that an earlier run had given the file another number.
    func settle(on path: String) {
        state.withLock { state in
            guard path != state.taken else { return }
            registry.release(state.taken)
            state.taken = path
        }
    }

    /// Paths that an earlier run may have given to the file, lowest number first.
    func candidate(_ number: Int) -> String {
        let wanted = state.withLock { $0.wanted }
        return number == 1 ? wanted : NameRegistry.numbered(wanted, number)
    }
}
