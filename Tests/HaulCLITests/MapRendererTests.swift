import Haul
import Testing

@testable import HaulCLI

@Suite struct MapRendererTests {
    private static let ascii = MapRenderer(unicode: false, color: false)

    private func drawn(
        _ finished: [Range<Int64>], verified: [Range<Int64>] = [], connections: [Range<Int64>] = [],
        total: Int64? = 100, count: Int = 10
    ) -> String {
        var progress = DownloadProgress()
        progress.phase = .downloading
        progress.total = total
        progress.finishedRanges = finished
        progress.verifiedRanges = verified
        progress.connectionRanges = connections
        return Self.ascii.text(MapRenderer.cells(progress, count: count))
    }

    @Test func states() {
        #expect(drawn([]) == "..........")
        #expect(drawn([0..<100]) == "==========")
        #expect(drawn([0..<100], verified: [0..<100]) == "##########")
        #expect(drawn([0..<35, 50..<70], verified: [0..<20], connections: [35..<50, 70..<100]) == "##=>.==>..")
        #expect(drawn([0..<1]) == ">.........")
        #expect(drawn([0..<33], total: nil) == "..........")
        #expect(drawn([], total: 0) == "##########")
        #expect(drawn([0..<3], total: 3, count: 10) == "==========")
        #expect(drawn([0..<1, 2..<3], total: 3, count: 9) == "===...===")
        #expect(drawn([0..<100], count: 0) == "")
    }

    @Test func hostileRangesDoNoHarm() {
        #expect(drawn([-5..<10, 90..<200], connections: [100..<300, 5..<5]) == "=........=")
        #expect(drawn([0..<Int64.max], total: .max, count: 3) == "===")
    }

    @Test func colours() {
        let map = MapRenderer(unicode: true, color: true)
        let text = map.text([.verified, .verified, .onDisk, .inFlight, .waiting])
        #expect(MapRenderer.withoutColor(text) == "██▓▒░")
        #expect(text.hasPrefix("\u{1B}[32m██\u{1B}[0m\u{1B}[34m▓"))
    }
}
