import Glibc
import HaulOrigin

/// A process that a test started: its output is collected, it can be sent signals, and it never outlives its time.
package final class ProcessRunner: Sendable {
    /// What a finished process left.
    package struct Outcome: Sendable {
        /// How it ended.
        package let status: ExitStatus
        /// Whether it was killed because it took too long.
        package let timedOut: Bool
        /// What it wrote to standard output.
        package let output: [UInt8]
        /// What it wrote to standard error.
        package let errors: [UInt8]
        /// Processor time of the program and the kernel for it.
        package let processorTime: Duration

        /// Standard output as text.
        package var outputText: String { String(decoding: output, as: UTF8.self) }
        /// Standard error as text.
        package var errorText: String { String(decoding: errors, as: UTF8.self) }
    }

    private struct State: Sendable {
        var isReaped = false
        var timedOut = false
        var outcome: Outcome?
        var waiters: [CheckedContinuation<Outcome, Never>] = []
        var output: [UInt8] = []
        var errors: [UInt8] = []
    }

    /// Number of the process.
    package let pid: Int32

    private let state = OriginLock(State())

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - executable: path of the program.
    ///   - arguments: what follows the program's name.
    ///   - environment: variables to set besides those of the tests; an empty value unsets.
    ///   - directory: where it runs, the tests' directory by default.
    ///   - input: what it finds on standard input.
    ///   - endsInput: whether standard input ends there, or with the process.
    ///   - timeout: after which it is killed.
    /// - Throws: `ProcessError` when it can't be started.
    package init(
        _ executable: String, _ arguments: [String] = [], environment: [String: String] = [:],
        directory: String? = nil, input: [UInt8] = [], endsInput: Bool = true, timeout: Duration = .seconds(180)
    ) throws(ProcessError) {
        let spawned = try Spawn.start(executable, arguments, environment, directory)
        pid = spawned.pid
        let deadline = ContinuousClock().now + timeout
        BackgroundThread.detach { [self] in supervise(spawned, input, endsInput, deadline) }
    }

    /// Starts the built `haul`.
    ///
    /// - Parameters:
    ///   - arguments: the command line.
    ///   - environment: variables to set besides those of the tests.
    ///   - directory: where it runs.
    ///   - timeout: after which it is killed.
    /// - Returns: the running process.
    /// - Throws: `ProcessError` when it can't be started.
    package static func haul(
        _ arguments: String..., environment: [String: String] = [:], directory: String? = nil,
        timeout: Duration = .seconds(180)
    ) throws(ProcessError) -> ProcessRunner {
        try ProcessRunner(
            HaulBinary.path, arguments, environment: environment, directory: directory, timeout: timeout)
    }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - executable: path of the program.
    ///   - arguments: what follows the program's name.
    /// - Returns: what it left.
    /// - Throws: `ProcessError` when it can't be started, or ends with another code than 0.
    @discardableResult
    package static func check(_ executable: String, _ arguments: [String]) async throws(ProcessError) -> Outcome {
        let outcome = await (try ProcessRunner(executable, arguments)).wait()
        guard outcome.status == .code(0) else {
            throw ProcessError("\(executable) \(arguments): \(outcome.status): \(outcome.errorText)")
        }
        return outcome
    }

    /// Sends a signal, unless the process has ended.
    package func signal(_ number: Int32) {
        state.withLock { if !$0.isReaped { _ = kill(pid, number) } }
    }

    /// Waits for the end.
    package func wait() async -> Outcome {
        await withCheckedContinuation { continuation in
            let outcome = state.withLock { state in
                if state.outcome == nil { state.waiters.append(continuation) }
                return state.outcome
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }

    /// Whether it has ended.
    package var hasEnded: Bool { state.withLock { $0.isReaped } }

    /// What it has written to standard output so far.
    package var outputSoFar: [UInt8] { state.withLock { $0.output } }

    /// What it has written to standard error so far.
    package var errorsSoFar: [UInt8] { state.withLock { $0.errors } }

    private func supervise(
        _ spawned: Spawn, _ input: [UInt8], _ endsInput: Bool, _ deadline: ContinuousClock.Instant
    ) {
        let readers = [
            BackgroundThread.start { [self] in
                Descriptor.readAll(spawned.output, until: { hasEnded }) { part in state.withLock { $0.output += part } }
            },
            BackgroundThread.start { [self] in
                Descriptor.readAll(spawned.errors, until: { hasEnded }) { part in state.withLock { $0.errors += part } }
            },
            BackgroundThread.start {
                Descriptor.write(input, to: spawned.input)
                if endsInput { close(spawned.input) }
            },
        ]
        var usage = rusage()
        var code: Int32 = 0
        while true {
            let isOver = state.withLock { state -> Bool in
                guard wait4(pid, &code, WNOHANG, &usage) != 0 else { return false }
                state.isReaped = true
                return true
            }
            if isOver { break }
            if ContinuousClock().now > deadline {
                state.withLock { $0.timedOut = true }
                signal(SIGKILL)
            }
            usleep(1000)
        }
        for reader in readers { reader.join() }
        if !endsInput { close(spawned.input) }
        let status = code & 0x7F == 0 ? ExitStatus.code(code >> 8 & 0xFF) : .signal(code & 0x7F)
        let time =
            Duration.seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            + .microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
        let (outcome, waiters) = state.withLock { state in
            let outcome = Outcome(
                status: status, timedOut: state.timedOut, output: state.output, errors: state.errors,
                processorTime: time)
            state.outcome = outcome
            defer { state.waiters = [] }
            return (outcome, state.waiters)
        }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }
}
