import Testing

@testable import Haul

struct EventRowTests {
    private func texts(_ row: EventRow) async -> [String] {
        var texts: [String] = []
        for await event in row.stream { if case .notice(let text) = event { texts.append(text) } }
        return texts
    }

    @Test
    func aLateReaderSeesWhatWasKept() async {
        let row = EventRow()
        for number in 0..<70 { row.add(.notice("\(number)")) }
        row.finish()
        row.add(.notice("too late"))
        #expect(await texts(row) == (6..<70).map { "\($0)" })
    }

    @Test
    func aReaderInBetweenMissesNothing() async {
        let row = EventRow()
        row.add(.notice("before"))
        let stream = row.stream
        row.add(.notice("after"))
        row.finish()
        var count = 0
        for await _ in stream { count += 1 }
        #expect(count == 2)
        // The one sequence is over for whoever asks again.
        #expect(await texts(row).isEmpty)
    }
}
