#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A process of this program's own executable, its standard output on a pipe; killed when dropped.
struct ChildProcess: ~Copyable {
    /// The process, 0 once it has been waited for.
    private var identifier: pid_t
    /// Where its standard output can be read.
    private let output: Int32

    /// Starts a process, or is nil when there is none to be had; its standard error is thrown away.
    ///
    /// - Parameter arguments: words after the program's name.
    init?(_ arguments: [String]) {
        guard let pipe = Platform.pipe() else { return nil }
        let environment = ["PATH", "HOME", "LD_LIBRARY_PATH", "TMPDIR", "no_proxy"].compactMap { name in
            Platform.environment(name).map { "\(name)=\($0)" }
        }
        let child = Self.spawn(arguments, environment, output: pipe.writing)
        close(pipe.writing)
        guard child > 0 else {
            close(pipe.reading)
            return nil
        }
        identifier = child
        output = pipe.reading
    }

    deinit {
        if identifier > 0 {
            _ = kill(identifier, SIGKILL)
            Self.reap(identifier)
        }
        close(output)
    }

    /// Reads what it wrote.
    ///
    /// - Parameter milliseconds: how long to wait for something.
    /// - Returns: nil when nothing came in time, empty at the end.
    func read(waiting milliseconds: Int32) -> [UInt8]? {
        Platform.wait(for: output, events: Platform.readable, milliseconds: milliseconds) ? Platform.read(output) : nil
    }

    /// Ends it at once, as a power failure of the process: SIGKILL can't be caught.
    ///
    /// - Returns: whether it was still running.
    mutating func killNow() -> Bool {
        guard identifier > 0 else { return false }
        _ = kill(identifier, SIGKILL)
        let status = Self.reap(identifier)
        identifier = 0
        return status & 0x7F == SIGKILL
    }

    /// Starts the process; 0 when that fails.
    private static func spawn(_ arguments: [String], _ environment: [String], output: Int32) -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, Platform.standardOutput)
        posix_spawn_file_actions_addopen(&actions, Platform.standardError, "/dev/null", O_WRONLY, 0)
        var words = (["haul"] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for text in words + variables { free(text) } }
        var child: pid_t = 0
        let result = posix_spawn(&child, Platform.ownExecutable, &actions, nil, &words, &variables)
        return result == 0 ? child : 0
    }

    /// Waits for its end.
    @discardableResult
    private static func reap(_ identifier: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
