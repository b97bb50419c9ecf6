import Glibc
package import Testing

/// A directory of its own for a test, removed with everything in it at the end.
package final class TemporaryDirectory: Sendable {
    /// Absolute path, without a slash at the end.
    package let path: String

    /// The directory of the running test, if it has the trait `.temporaryDirectory`.
    @TaskLocal package static var current: String = "/nowhere/the-test-lacks-the-trait-temporaryDirectory"

    /// Makes a directory.
    ///
    /// - Parameter parent: where; nil is where temporary files go.
    /// - Throws: `ProcessError` when there can be none.
    package init(under parent: String? = nil) throws(ProcessError) {
        let parent = parent ?? getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/haul-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw ProcessError(call: "mkdtemp", path: parent, code: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// Path of something in the directory.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Removes it now, with everything in it.
    package func cleanUp() { Self.remove(path) }

    /// Removes a file, or a directory with everything in it; links are not followed.
    package static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        chmod(path, 0o700)
        for name in FileContents.names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }
}

/// Gives each test a directory of its own, when it is its turn.
package struct TemporaryDirectoryTrait: TestTrait, SuiteTrait, TestScoping {
    /// On a suite, it means each of its tests.
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await TestTurns.shared.run {
            let directory = try TemporaryDirectory()
            try await TemporaryDirectory.$current.withValue(directory.path) { try await function() }
            directory.cleanUp()
        }
    }
}

extension Trait where Self == TemporaryDirectoryTrait {
    /// Gives each test a directory of its own, `TemporaryDirectory.current`, and makes it wait for its turn.
    package static var temporaryDirectory: Self { TemporaryDirectoryTrait() }
}
