import Testing

@testable import HaulCore

/// What is found about a server whose connections share what it has.
@Suite struct ConnectionGrowthTests {
    /// A server, and who looks at it every five milliseconds.
    private struct Model {
        /// Bytes a second of each connection, and of all of them.
        var each = 20.0 * 1_048_576
        var all = Double.infinity
        /// By how much more all of them bring in the first 35 ms.
        var burst = 1.0
        /// Time until a connection answers.
        var answer: Duration = .milliseconds(2)
        var size: Int64 = 1 << 40

        var growth = ConnectionGrowth(limit: 16)
        private(set) var now: Duration = .zero
        private(set) var received = 0.0
        private(set) var mostAllowed = 0
        /// Times at which more connections were tried.
        private(set) var steps: [Duration] = []
        private var answersAt: [Duration] = []

        init() {}

        mutating func run(until end: Duration) {
            if now == .zero {
                growth.begin(answeredAfter: answer, received: 0, now: now)
                answersAt = [.zero] + Array(repeating: answer, count: growth.allowed - 1)
            }
            while now < end {
                now += .milliseconds(5)
                let answered = answersAt.count { $0 <= now }
                let burst = now <= .milliseconds(35) ? burst : 1
                received += min(all, each * Double(answered)) * 0.005 * burst
                let before = growth.allowed
                growth.look(
                    answered: answered, received: Int64(received), missing: size - Int64(received),
                    quickestAnswer: answer, now: now)
                mostAllowed = max(mostAllowed, growth.allowed)
                if growth.allowed > before {
                    steps.append(now)
                    answersAt += Array(repeating: now + answer, count: growth.allowed - before)
                }
                answersAt = Array(answersAt.prefix(growth.allowed))
            }
        }
    }

    @Test func manyThatPayAreThereAtOnce() {
        var model = Model()
        model.run(until: .milliseconds(100))
        #expect(model.growth.allowed == 16)
        model.run(until: .seconds(600))
        #expect(model.steps.count == 2)
    }

    @Test(arguments: [50, 150]) func farAwayTheyAreThereAfterTwoAnswers(milliseconds: Int) {
        var model = Model()
        model.answer = .milliseconds(milliseconds)
        model.run(until: model.answer * 2 + .milliseconds(50))
        #expect(model.growth.allowed == 16)
    }

    @Test(arguments: [2, 100], [10.0, 60, 100]) func whatDoesNotPayIsTakenBack(milliseconds: Int, megabytes: Double) {
        var model = Model()
        model.answer = .milliseconds(milliseconds)
        model.all = megabytes * 1_048_576
        model.run(until: .seconds(3600))
        // Five connections have 100, three have 60; far away it begins with eight, which is more than one has.
        #expect(model.growth.allowed == (megabytes == 100 || megabytes == 60 && milliseconds == 100 ? 8 : 4))
        #expect(model.mostAllowed <= (megabytes == 10 ? 8 : 16))
        // Tries become rare: the server does not pay for a download of hours.
        #expect(model.steps.count { $0 > .seconds(600) } <= 26)
    }

    @Test func aBurstAtTheBeginningIsNoRate() {
        var model = Model()
        model.burst = 5
        model.run(until: .seconds(1))
        #expect(model.growth.allowed == 4)
        model.run(until: .seconds(4))
        #expect(model.growth.allowed == 16)
    }

    @Test func whatTheMachineMayBeTheLimitOfIsJudgedSlowly() {
        var model = Model()
        model.each = 200 * 1_048_576
        model.run(until: .milliseconds(190))
        #expect(model.growth.allowed == 4)
        model.run(until: .milliseconds(600))
        #expect(model.growth.allowed == 16)
    }

    @Test(arguments: [2, 100]) func aSilentServerIsNotAskedMore(milliseconds: Int) {
        var model = Model()
        model.answer = .milliseconds(milliseconds)
        model.each = 0
        model.run(until: .seconds(10))
        #expect(model.mostAllowed == (milliseconds == 100 ? 8 : 4))
    }

    @Test func nobodyIsAskedWhoWouldAnswerTooLate() {
        var model = Model()
        model.answer = .milliseconds(150)
        model.size = 60 << 20
        model.run(until: .milliseconds(600))
        #expect(model.growth.allowed == 8)
    }
}
