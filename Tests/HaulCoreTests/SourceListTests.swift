import Testing

@testable import HaulCore

@Suite struct SourceListTests {
    private func list(_ count: Int) -> SourceList {
        let urls = (0..<count).map { RedirectPolicyTests.url("http", "h\($0).test") }
        var list = SourceList(urls[0], mirrors: Array(urls.dropFirst()))
        for index in 1..<count { list.admit(index) }
        return list
    }

    @Test func workIsSharedByThoseWhoAreIdle() {
        var list = list(3)
        let taken = (0..<6).map { _ in list.take(asksPrimary: false, now: .zero) }
        #expect(taken.sorted() == [0, 0, 1, 1, 2, 2])
        let asked = list.take(asksPrimary: true, now: .zero)
        #expect(asked == 0)
    }

    @Test func whoAsksToBeLeftAloneIsLeftAloneAndNotDropped() {
        var list = list(2)
        _ = list.take(asksPrimary: false, now: .zero)
        _ = list.take(asksPrimary: false, now: .zero)
        list.returned(1, progressed: false)
        let isHeld = list.hold(1, until: .seconds(30), now: .zero)
        #expect(isHeld)
        let meanwhile = (0..<30).map { list.take(asksPrimary: false, now: .seconds($0)) }
        #expect(meanwhile.allSatisfy { $0 == 0 })
        let after = list.take(asksPrimary: false, now: .seconds(30))
        #expect(after == 1)
        #expect(list[1].standing == .admitted)
    }

    @Test func whoFailsTwiceInARowIsLeftOut() {
        var list = list(2)
        let first = list.failed(1, isFinal: false, othersLive: false)
        list.returned(1, progressed: true)
        let second = list.failed(1, isFinal: false, othersLive: false)
        #expect(first && second)
        #expect(list[1].standing == .admitted)
        let third = list.failed(1, isFinal: false, othersLive: false)
        #expect(third)
        #expect(list[1].standing == .dropped)
        let meanwhile = (0..<4).map { _ in list.take(asksPrimary: false, now: .zero) }
        #expect(meanwhile == [0, 0, 0, 0])
    }

    @Test func whoSaysNoForGoodIsLeftOutAtOnce() {
        var list = list(2)
        let goesOn = list.failed(1, isFinal: true, othersLive: false)
        #expect(goesOn)
        #expect(list[1].standing == .dropped)
        // The last one left is never dropped: its failures are the download's.
        let isCovered = list.failed(0, isFinal: true, othersLive: false)
        #expect(!isCovered)
    }

    @Test func whoNamesManyIsNotTakenAtItsWordAgainAndAgain() {
        var list = list(2)
        let more = (0..<9).map { RedirectPolicyTests.url("http", "h\($0).test") }
        list.add(Array(more.prefix(3)), upTo: 4)
        #expect(list.sources.map(\.url.host) == ["h0.test", "h1.test", "h2.test"])
        list.add(more, upTo: 4)
        list.add(more, upTo: 4)
        #expect(list.sources.map(\.url.host) == ["h0.test", "h1.test", "h2.test", "h3.test"])
    }

    @Test func whereNobodyElseCanWorkTheHoldIsEverybodys() {
        var alone = list(1)
        let canOne = alone.hold(0, until: .seconds(30), now: .zero)
        var both = list(2)
        let canFirst = both.hold(0, until: .seconds(30), now: .zero)
        let canSecond = both.hold(1, until: .seconds(30), now: .zero)
        let next = both.take(asksPrimary: false, now: .seconds(1))
        #expect(!canOne && canFirst && !canSecond)
        #expect(next == 1)
    }
}
