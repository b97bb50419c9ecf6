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

    private func console(_ descriptor: Int32) throws -> Console {
        try #require(Console(Terminal(.none, isTerminal: false) { _ in nil }, output: descriptor, error: descriptor))
    }

    /// A list's messages wait for a slow reader, and the list for them; with room, or without patience, it goes on.
    @Test(arguments: [true, false]) func whoeverBeginsMoreWaitsForRoom(_ isCancelled: Bool) async throws {
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(nowhere) }
        let console = try console(nowhere)
        await console.room()
        for _ in 0..<Console.most { console.error("x") }
        let waits = Latch()
        let task = Task {
            await console.room()
            waits.open()
        }
        for _ in 0..<1000 { await Task.yield() }
        #expect(!waits.isOpen)
        if isCancelled {
            task.cancel()
            await task.value
        }
        console.finish(.done)
        #expect(await BackgroundThread.run { console.run() } == 0)
        await task.value
        #expect(waits.isOpen)
    }

    @Test func snapshotsThatNobodyReadsAreNotKept() throws {
        let pipe = try #require(Platform.pipe())
        defer { close(pipe.reading) }
        let console = try console(pipe.writing)
        for _ in 0..<Console.most { console.text("") }
        for number in 0..<1000 {
            console.output("\(number)", replaceable: true)
            console.text("")
        }
        console.output("last")
        console.finish(.done)
        #expect(console.run() == 0)
        close(pipe.writing)
        #expect(String(decoding: Platform.read(pipe.reading), as: UTF8.self) == "last\n")
    }
}
