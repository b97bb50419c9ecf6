import Testing

@testable import Haul

struct ActiveDownloadsTests {
    private func make() -> Download {
        let work = Download.Work(
            threads: { nil }, attempt: { _, _ in .failure(.cancelledKeeping) }, ended: { _ in }, reordered: { _ in })
        return Download(DownloadRequest("http://127.0.0.1/f", to: "f"), DownloadOptions(), work: work)
    }

    /// A dropped one never tells that it is over.
    @Test func droppedOnesAreForgottenWhateverElseBegins() {
        let table = ActiveDownloads()
        let kept = (0..<20).map { _ in make() }
        var most = 0
        for number in 0..<10_000 {
            let fingerprint = DownloadRequest("http://127.0.0.1/\(number)", to: "f").fingerprint
            _ = table.find(fingerprint) { _ in make() }
            // Members of batches come between: counts are passed without a look.
            if number % 500 == 0 { table.add(kept[number / 500]) }
            most = max(most, table.count)
        }
        #expect(most <= 2048)
        #expect(table.close().downloads.count == kept.count)
    }

    /// As many as live are not looked through for each that begins.
    @Test func thoseThatLiveAreKept() {
        let table = ActiveDownloads()
        let kept = (0..<5000).map { number in
            table.find(DownloadRequest("http://127.0.0.1/\(number)", to: "f").fingerprint) { _ in make() }.download
        }
        #expect(table.count == kept.count)
        #expect(table.close().downloads.count == kept.count)
    }
}
