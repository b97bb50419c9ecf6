import HaulCore
import Testing

@Suite struct SpeedUpTests {
    /// Ticks every 100 ms over stretches of connections, each with its time and rate.
    private func measured(_ stretches: (connections: Int, seconds: Double, rate: Double)...) -> Double? {
        var speedUp = SpeedUp()
        var now = Duration.zero
        var received = 0.0
        for stretch in stretches {
            for _ in 0..<Int(stretch.seconds * 10) {
                speedUp.tick(answered: stretch.connections, received: Int64(received), now: now)
                now += .milliseconds(100)
                received += stretch.rate / 10
            }
        }
        return speedUp.factor
    }

    @Test func bothWereSeen() throws {
        let factor = try #require(measured((1, 2, 1e6), (4, 2, 4e6), (1, 3, 1e5)))
        #expect((3.9...4.1).contains(factor))
    }

    @Test func theLastOneDoesNotCount() {
        #expect(measured((4, 2, 4e6), (1, 3, 1e5)) == nil)
        #expect(measured((1, 9, 1e6)) == nil)
    }

    @Test func aMomentTellsNothing() {
        #expect(measured((1, 0.6, 1e6), (4, 2, 4e6)) == nil)
        #expect(measured((1, 2, 1e6), (4, 0.6, 4e6)) == nil)
        #expect(measured() == nil)
    }

    @Test func gettingUpToSpeedDoesNotCount() throws {
        let factor = try #require(measured((1, 0.3, 0), (1, 2, 1e6), (2, 0.3, 0), (2, 2, 2e6)))
        #expect((1.9...2.1).contains(factor))
    }

    @Test func silenceEndsAStretch() throws {
        let factor = try #require(measured((1, 1.2, 1e6), (2, 1, 2e6), (0, 5, 0), (2, 1, 2e6)))
        #expect((1.9...2.1).contains(factor))
    }
}
