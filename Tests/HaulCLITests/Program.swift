import HaulOrigin
import HaulTestSupport

/// The built `haul` with a home directory of its own, run in the test's directory.
enum Program {
    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - words: the command line.
    ///   - environment: variables to set besides those that keep the machine's set-up out.
    /// - Returns: what it left.
    /// - Throws: when it can't be started.
    static func run(
        _ words: [String], environment: [String: String] = [:]
    ) async throws -> ProcessRunner.Outcome {
        var variables = ["no_proxy": "*", "HOME": TemporaryDirectory.current, "XDG_CONFIG_HOME": ""]
        variables.merge(environment) { $1 }
        let runner = try ProcessRunner(
            HaulBinary.path, words, environment: variables, directory: TemporaryDirectory.current)
        return await runner.wait()
    }

    /// Runs it to its end.
    static func run(_ words: String...) async throws -> ProcessRunner.Outcome { try await run(words) }

    /// Path of something in the test's directory.
    static func file(_ name: String) -> String { "\(TemporaryDirectory.current)/\(name)" }

    /// Writes a text file into the test's directory.
    static func write(_ text: String, to name: String) throws {
        try FileContents.write(Array(text.utf8), to: file(name))
    }

    /// Text of a file in the test's directory.
    static func text(of name: String) throws -> String {
        String(decoding: try FileContents.read(file(name)), as: UTF8.self)
    }
}

extension OriginRecord {
    /// Value of a field of the request, nil for none.
    func field(_ name: String) -> String? { request.fields.value(name) }

    /// Host that the request was for, without its port.
    var host: String { String((field("Host") ?? "").prefix { $0 != ":" }) }
}
