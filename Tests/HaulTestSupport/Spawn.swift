import Glibc
import Synchronization

/// A process just started, and our ends of its pipes (`posix_spawn(3)`).
struct Spawn: Sendable {
    /// Number of the process.
    let pid: pid_t
    /// Where to write what it reads.
    let input: Int32
    /// Where to read what it writes to standard output.
    let output: Int32
    /// Where to read what it writes to standard error.
    let errors: Int32

    /// Starts a program that inherits nothing but its three pipes.
    static func start(
        _ executable: String, _ arguments: [String], _ environment: [String: String], _ directory: String?
    ) throws(ProcessError) -> Spawn {
        var pipes: [[Int32]] = []
        for _ in 0..<3 {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw ProcessError(call: "pipe", path: "", code: errno) }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            pipes.append(ends)
        }
        defer { for end in [pipes[0][0], pipes[1][1], pipes[2][1]] { close(end) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipes[0][0], 0)
        posix_spawn_file_actions_adddup2(&actions, pipes[1][1], 1)
        posix_spawn_file_actions_adddup2(&actions, pipes[2][1], 2)
        // Pipes of other tests that run at the same time would keep those from seeing an end.
        if let closeFrom = GNUSpawn.closeFrom { _ = closeFrom(&actions, 3) }
        if let directory {
            guard let changeDirectory = GNUSpawn.changeDirectory else {
                throw ProcessError("this system's posix_spawn can't change the directory")
            }
            _ = changeDirectory(&actions, directory)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var pid: pid_t = 0
        var argv = ([executable] + arguments).map { strdup($0) } + [nil]
        var envp = merged(environment).map { strdup($0) } + [nil]
        defer { for text in argv + envp { free(text) } }
        let code = posix_spawn(&pid, executable, &actions, &attributes, &argv, &envp)
        guard code == 0 else {
            for end in [pipes[0][1], pipes[1][0], pipes[2][0]] { close(end) }
            throw ProcessError(call: "posix_spawn", path: executable, code: code)
        }
        return Spawn(pid: pid, input: pipes[0][1], output: pipes[1][0], errors: pipes[2][0])
    }

    private static func merged(_ changes: [String: String]) -> [String] {
        var lines: [String] = []
        var next = environ
        while let text = next.pointee {
            let line = String(cString: text)
            let name = String(line.prefix { $0 != "=" })
            if changes[name] == nil { lines.append(line) }
            next += 1
        }
        return lines + changes.filter { !$0.value.isEmpty }.map { "\($0.key)=\($0.value)" }
    }
}

/// Calls of the GNU C library that its headers show only to those who ask for extensions.
private enum GNUSpawn {
    typealias Actions = UnsafeMutablePointer<posix_spawn_file_actions_t>

    static let closeFrom = find(
        "posix_spawn_file_actions_addclosefrom_np", as: (@convention(c) (Actions, Int32) -> Int32).self)
    static let changeDirectory = find(
        "posix_spawn_file_actions_addchdir_np",
        as: (@convention(c) (Actions, UnsafePointer<CChar>) -> Int32).self)

    private static func find<Call>(_ name: String, as type: Call.Type) -> Call? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }
}
