import HaulOrigin
import HaulTestSupport
import Testing

/// The built program, run in the directory of the running test.
enum Program {
    /// Path of a file in the test's directory.
    static func file(_ name: String) -> String { "\(TemporaryDirectory.current)/\(name)" }

    /// Names of everything in the test's directory, sorted.
    static var names: [String] { FileContents.names(in: TemporaryDirectory.current) }

    /// Starts it.
    static func start(
        _ words: [String], environment: [String: String] = [:], timeout: Duration = .seconds(60)
    ) throws(ProcessError) -> ProcessRunner {
        try ProcessRunner(
            HaulBinary.path, words, environment: environment.merging(["no_proxy": "*"]) { given, _ in given },
            directory: TemporaryDirectory.current, timeout: timeout)
    }

    /// Runs it to its end.
    static func run(_ words: [String], timeout: Duration = .seconds(60)) async throws(ProcessError)
        -> ProcessRunner.Outcome
    {
        await (try start(words, timeout: timeout)).wait()
    }

    /// Runs it to its end.
    static func run(_ words: String...) async throws(ProcessError) -> ProcessRunner.Outcome { try await run(words) }

    /// Runs a command of the shell to its end; `$0` is the program, `$1` and so on are `words`.
    static func shell(_ command: String, _ words: String...) async throws(ProcessError) -> ProcessRunner.Outcome {
        let runner = try ProcessRunner(
            "/bin/sh", ["-c", command, HaulBinary.path] + words, environment: ["no_proxy": "*"],
            directory: TemporaryDirectory.current)
        return await runner.wait()
    }
}

extension ProcessRunner.Outcome {
    /// Number after the last `"key":` in the events on standard output, nil if there is none.
    func number(_ key: String) -> Int64? { JSONText.number(key, in: outputText) }

    /// Whether an event of that name is among them.
    func hasEvent(_ name: String) -> Bool { outputText.contains("\"event\":\"\(name)\"") }
}

/// Looks into lines of `--json`.
enum JSONText {
    /// Number after the last `"key":`, nil if there is none.
    static func number(_ key: String, in text: String) -> Int64? {
        guard let place = text.ranges(of: "\"\(key)\":").last else { return nil }
        return Int64(text[place.upperBound...].prefix { $0.isNumber || $0 == "-" })
    }
}

extension ProcessRunner {
    /// Events on standard output so far.
    var eventsSoFar: String { String(decoding: outputSoFar, as: UTF8.self) }

    /// Bytes that it has read so far (`/proc/PID/io`).
    var bytesRead: Int64 {
        guard let text = try? FileContents.read("/proc/\(pid)/io") else { return 0 }
        return Int64(String(decoding: text, as: UTF8.self).drop { $0 != " " }.dropFirst().prefix { $0.isNumber }) ?? 0
    }
}

/// Waits of tests for something that another process or thread does.
enum Waiting {
    /// Nothing came of a wait.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Waits until something holds, a minute at most.
    ///
    /// - Parameters:
    ///   - what: what is waited for, for the message.
    ///   - condition: whether it holds.
    /// - Throws: `Failure` when it does not come.
    static func until(_ what: String, _ condition: () throws -> Bool) async throws {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(60)
        while try !condition() {
            guard clock.now < deadline else { throw Failure(description: "waited in vain for \(what)") }
            try await clock.sleep(for: .milliseconds(2))
        }
    }

    /// Waits until a process ends, and says how long it took from `start`.
    static func end(
        of process: ProcessRunner, since start: ContinuousClock.Instant
    ) async -> (outcome: ProcessRunner.Outcome, after: Duration) {
        let outcome = await process.wait()
        return (outcome, ContinuousClock().now - start)
    }
}
