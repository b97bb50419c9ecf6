import Testing

@testable import Haul

struct ProgressHistoryTests {
    private func snapshot(_ received: Int64, restarts: Int = 0, resumed: Int64 = 0) -> DownloadProgress {
        var progress = DownloadProgress()
        progress.phase = .downloading
        (progress.received, progress.restarts, progress.resumed, progress.total) = (received, restarts, resumed, 100)
        return progress
    }

    private func figures(_ received: Int64, resumed: Int64 = 0) -> DownloadReceipt {
        var receipt = DownloadReceipt(path: "", bytes: 0)
        (receipt.received, receipt.resumed, receipt.requests, receipt.duration) = (received, resumed, 2, .seconds(3))
        return receipt
    }

    @Test func attemptsAreOneStory() {
        var history = ProgressHistory()
        #expect(history.snapshot(snapshot(40, resumed: 10)).received == 40)
        history.attemptEnded(figures(30, resumed: 10))
        var probing = DownloadProgress()
        probing.phase = .probing
        let next = history.snapshot(probing)
        #expect(next.received == 40 && next.total == 100)
        // What the first attempt brought was not there before.
        #expect(history.snapshot(snapshot(60, resumed: 40)).resumed == 10)
        let receipt = history.receipt(figures(60, resumed: 40))
        #expect(receipt.received == 90 && receipt.resumed == 10 && receipt.requests == 4)
        #expect(receipt.duration == .seconds(6) && history.timeSpent == .seconds(3))
    }

    /// One that was told just before the rest, and that no snapshot showed, counts too.
    @Test func restartsAddUp() {
        var history = ProgressHistory()
        _ = history.snapshot(snapshot(40))
        history.restarted()
        history.attemptEnded(figures(40))
        let next = history.snapshot(snapshot(5))
        #expect(next.restarts == 1 && next.received == 5)
        history.restarted()
        #expect(history.snapshot(snapshot(1, restarts: 1)).restarts == 2)
    }
}
