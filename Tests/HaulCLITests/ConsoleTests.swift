import Glibc
import Haul
import HaulTestSupport
import Testing

@testable import HaulCLI

@Suite(.inTurn, .timeLimit(.minutes(10))) struct ConsoleTests {
    /// The end is posted while the main thread is between taking messages and drawing what waited.
    @Test func theEndIsSeenWheneverItComes() async throws {
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(nowhere) }
        for round in stride(from: 0, to: 2000, by: 8) {
            let console = try #require(
                Console(Terminal(.bar, isTerminal: false) { _ in nil }, output: nowhere, error: nowhere))
            let display = LiveDisplay(lines: [LiveLine(name: "f")], total: nil)
            let posting = BackgroundThread.start {
                console.show(display)
                for _ in 0..<round { _ = getppid() }
                console.show(display)
                console.error("done")
                for _ in 0..<round / 4 { _ = getppid() }
                console.show(nil)
                console.finish(.done)
            }
            let code = await BackgroundThread.run { console.run() }
            posting.join()
            #expect(code == 0)
        }
    }
}
