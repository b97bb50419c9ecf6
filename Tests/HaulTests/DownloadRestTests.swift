import Synchronization
import Testing

@testable import Haul

/// A download between its attempts, with attempts made by hand.
@Suite(.timeLimit(.minutes(10)))
struct DownloadRestTests {
    /// Lets an attempt's maker reach the download.
    private final class Holder: Sendable {
        let download = Mutex<Download?>(nil)
    }

    private func make(
        threads: @escaping @Sendable () -> DiskThreads? = { nil },
        attempt: @escaping @Sendable (Download) async -> Result<DownloadReceipt, DownloadError>
    ) -> Download {
        let work = Download.Work(
            threads: threads, attempt: { download, _ in await attempt(download) }, ended: { _ in },
            reordered: { _ in })
        return Download(DownloadRequest("http://127.0.0.1/f", to: "f"), DownloadOptions(), work: work)
    }

    @Test(arguments: [false, true]) func aStopWhileTheAttemptIsMadeIsNotLost(discarding: Bool) async {
        let holder = Holder()
        let download = make {
            // Between the decision to begin and the task there is time for others.
            let download = holder.download.withLock { $0 }
            if discarding { download?.cancelAndDiscard() } else { download?.cancel() }
            return nil
        } attempt: { _ in
            try? await Task.sleep(for: .seconds(20))
            return .failure(Task.isCancelled ? .cancelledKeeping : DownloadError(.other, "nobody stopped it"))
        }
        holder.download.withLock { $0 = download }
        download.start()
        await #expect(throws: DownloadError.self) { try await download.receipt }
        #expect(download.state == .cancelled)
        holder.download.withLock { $0 = nil }
    }

    @Test func whoFollowsADroppedDownloadReadsTheEnd() async {
        let (states, progress, events) = {
            let download = make { _ in .failure(.cancelledKeeping) }
            download.pause()
            return (download.states, download.progress, download.events)
        }()
        var seen: [DownloadState] = []
        for await state in states { seen.append(state) }
        #expect(seen == [.paused])
        for await snapshot in progress { Issue.record("\(snapshot)") }
        for await event in events { Issue.record("\(event)") }
    }
}
