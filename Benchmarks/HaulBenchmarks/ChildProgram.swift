#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A process whose output is on a pipe and whose cost is known at the end; killed when dropped.
final class ChildProgram {
    /// What a process cost.
    struct Usage: Sendable {
        /// Exit status, or 128 and the signal's number.
        var status: Int32 = 0
        /// Seconds of CPU in user mode, its own children included.
        var user = 0.0
        /// Seconds of CPU in the kernel.
        var system = 0.0
        /// Largest resident set that was seen, in bytes.
        var peakMemory: Int64 = 0
    }

    /// The process.
    let identifier: pid_t
    /// Where what it prints can be read, standard error included if it was asked for.
    let output: Int32

    private let input: Int32
    private var highWater: Int64 = 0
    private var isOver = false

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: its path, and its arguments.
    ///   - takesErrors: whether standard error goes to the same pipe.
    /// - Throws: why it can't be run.
    init(_ words: [String], takesErrors: Bool = true) throws(BenchmarkFailure) {
        var (inputs, outputs): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard let program = words.first, pipe(&inputs) == 0, pipe(&outputs) == 0 else {
            throw BenchmarkFailure("no pipe: \(String(cString: strerror(errno)))")
        }
        for end in inputs + outputs { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, inputs[0], 0)
        posix_spawn_file_actions_adddup2(&actions, outputs[1], 1)
        if takesErrors { posix_spawn_file_actions_adddup2(&actions, outputs[1], 2) }
        // The program itself waits for signals on a thread; what it starts must not inherit that.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var arguments = words.map { strdup($0) } + [nil]
        var variables = Self.environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var child: pid_t = 0
        let result = posix_spawn(&child, program, &actions, &attributes, &arguments, &variables)
        close(inputs[0])
        close(outputs[1])
        (input, output, identifier) = (inputs[1], outputs[0], child)
        guard result == 0 else {
            isOver = true
            throw BenchmarkFailure("'\(program)' can't be run: \(String(cString: strerror(result)))")
        }
    }

    deinit {
        if !isOver {
            signal(SIGKILL)
            _ = wait()
        }
        close(input)
        close(output)
    }

    /// Sends a signal.
    func signal(_ number: Int32) { kill(identifier, number) }

    /// Writes to its standard input.
    func tell(_ text: String) { Platform.write(text, to: input) }

    /// Reads what it printed.
    ///
    /// - Parameter milliseconds: how long to wait for something.
    /// - Returns: nil when nothing came in time, empty when the process closed its end.
    func read(waiting milliseconds: Int32) -> [UInt8]? {
        var event = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        guard poll(&event, 1, milliseconds) > 0 else { return nil }
        return [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            #if canImport(Glibc)
                count = max(0, Glibc.read(output, buffer.baseAddress, buffer.count))
            #elseif canImport(Musl)
                count = max(0, Musl.read(output, buffer.baseAddress, buffer.count))
            #else
                count = max(0, Darwin.read(output, buffer.baseAddress, buffer.count))
            #endif
        }
    }

    /// Notes the largest resident set so far.
    ///
    /// The figure that `wait4(2)` gives begins with that of the process that started it, which is much larger than
    /// curl. The kernel's own mark (`VmHWM`) has only the program's, and is never smaller than before.
    ///
    /// Of a shell's children, the largest counts.
    func sampleMemory() {
        let folder = "/proc/\(identifier)"
        let children = FileSystem.text("\(folder)/task/\(identifier)/children").split(separator: " ")
        for process in [folder] + children.map({ "/proc/\($0)" }) {
            for line in FileSystem.text(process + "/status").split(separator: "\n") where line.hasPrefix("VmHWM:") {
                highWater = max(highWater, (Int64(line.filter(\.isNumber)) ?? 0) * 1024)
            }
        }
    }

    /// Waits for its end.
    ///
    /// `wait4(2)`.
    func wait() -> Usage {
        var usage = rusage()
        var status: Int32 = 0
        while wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
        isOver = true
        let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F
        return Usage(
            status: code, user: Self.seconds(usage.ru_utime), system: Self.seconds(usage.ru_stime),
            peakMemory: highWater > 0 ? highWater : Int64(usage.ru_maxrss) * 1024)
    }

    /// Ends every process that this one started and still has, before what they write is removed.
    ///
    /// `/proc/self/task/…/children`.
    static func killAll() {
        for task in FileSystem.entries("/proc/self/task") {
            for child in FileSystem.text("/proc/self/task/\(task)/children").split(separator: " ") {
                if let identifier = pid_t(child) { kill(identifier, SIGKILL) }
            }
        }
        // They are gone when their files are closed; a write under way may take a moment.
        Platform.sleep(milliseconds: 200)
    }

    /// Runs a program to its end, for what it does.
    ///
    /// - Throws: what it printed, when it fails.
    static func check(_ words: [String]) throws(BenchmarkFailure) {
        let child = try ChildProgram(words)
        var printed: [UInt8] = []
        while let part = child.read(waiting: 60_000), !part.isEmpty { printed += part }
        guard child.wait().status == 0 else {
            throw BenchmarkFailure("\(words[0]) failed: " + String(decoding: printed.suffix(200), as: UTF8.self))
        }
    }

    private static let environment: [String] = {
        let names = [
            "PATH", "HOME", "LD_LIBRARY_PATH", "TMPDIR", "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy",
        ]
        return names.compactMap { name in Platform.environment(name).map { "\(name)=\($0)" } }
            + ["LC_ALL=C.UTF-8", "no_proxy=127.0.0.1,localhost," + (Platform.environment("no_proxy") ?? "")]
    }()

    private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}
