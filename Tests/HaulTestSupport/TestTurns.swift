import Glibc
import Synchronization
package import Testing

/// Lets only so many tests run at once as the machine can serve.
///
/// Swift Testing starts all tests together. With hundreds that start processes and servers each would take minutes, and
/// what is measured in seconds would say nothing.
package final class TestTurns: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// Those of all tests: four for each processor, or what `HAUL_TEST_TURNS` says.
    package static let shared = TestTurns(
        count: TestEffort.count("HAUL_TEST_TURNS", usual: 4 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
    /// Whether the running test has its turn: it does not wait for a second one.
    @TaskLocal private static var isTaken = false

    private let state: Mutex<State>

    /// Makes a number of turns.
    package init(count: Int) { state = Mutex(State(free: count)) }

    /// Waits for a turn, runs `body` and gives the turn back.
    package func run(_ body: @concurrent @Sendable () async throws -> Void) async throws {
        guard !Self.isTaken else { return try await body() }
        await take()
        defer { give() }
        try await Self.$isTaken.withValue(true) { try await body() }
    }

    private func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func give() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}

/// Makes each test wait for its turn.
package struct TestTurnsTrait: TestTrait, SuiteTrait, TestScoping {
    /// On a suite, it means each of its tests.
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await TestTurns.shared.run(function)
    }
}

extension Trait where Self == TestTurnsTrait {
    /// Makes each test wait for its turn: for those that need processor time, processes or servers.
    package static var inTurn: Self { TestTurnsTrait() }
}
