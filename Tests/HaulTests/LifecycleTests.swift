import HaulTestSupport
import Testing

@testable import Haul

/// The table of a download's life: what is told to it, and what it answers.
struct LifecycleTests {
    enum Word: Sendable {
        case start, probing, downloading, verifying, pause, resume, cancel, discard, discarded
        case finished, failed, stopped
    }

    struct Story: Sendable {
        let name: String
        let words: [Word]
        let actions: [Lifecycle.Action]
        let state: DownloadState
    }

    static let stories = [
        Story(name: "nothing yet", words: [], actions: [], state: .queued),
        Story(name: "begins once", words: [.start, .start], actions: [.begin], state: .queued),
        Story(
            name: "straight", words: [.start, .probing, .downloading, .verifying, .finished], actions: [.begin, .end],
            state: .finished),
        Story(
            name: "a bad range goes back", words: [.start, .verifying, .downloading], actions: [.begin],
            state: .downloading),
        Story(name: "fails", words: [.start, .probing, .failed], actions: [.begin, .end], state: .failed),
        Story(
            name: "stopped from outside", words: [.start, .downloading, .stopped], actions: [.begin, .end],
            state: .cancelled),
        Story(
            name: "pauses only when everything is journaled", words: [.start, .downloading, .pause],
            actions: [.begin, .stop], state: .downloading),
        Story(
            name: "rests", words: [.start, .downloading, .pause, .pause, .stopped], actions: [.begin, .stop],
            state: .paused),
        Story(
            name: "goes on", words: [.start, .downloading, .pause, .stopped, .resume, .resume],
            actions: [.begin, .stop, .begin], state: .queued),
        Story(
            name: "goes on before it rests", words: [.start, .downloading, .pause, .resume, .stopped],
            actions: [.begin, .stop, .begin], state: .queued),
        Story(
            name: "changes its mind twice", words: [.start, .pause, .resume, .pause, .stopped],
            actions: [.begin, .stop], state: .paused),
        Story(
            name: "is done before it rests", words: [.start, .verifying, .pause, .finished],
            actions: [.begin, .stop, .end], state: .finished),
        Story(
            name: "fails before it rests", words: [.start, .downloading, .pause, .failed],
            actions: [.begin, .stop, .end], state: .failed),
        Story(
            name: "rests in the queue", words: [.start, .pause, .stopped], actions: [.begin, .stop], state: .paused),
        Story(name: "rests before it begins", words: [.pause, .start], actions: [], state: .paused),
        Story(name: "begins from rest", words: [.pause, .resume], actions: [.begin], state: .queued),
        Story(
            name: "no rest after the end", words: [.start, .finished, .pause], actions: [.begin, .end], state: .finished
        ),
        Story(
            name: "no state while it stops", words: [.start, .downloading, .pause, .verifying],
            actions: [.begin, .stop],
            state: .downloading),
        Story(
            name: "cancel", words: [.start, .downloading, .cancel, .cancel, .stopped],
            actions: [.begin, .stop, .end], state: .cancelled),
        Story(
            name: "cancel while it pauses", words: [.start, .pause, .cancel, .resume, .stopped],
            actions: [.begin, .stop, .end], state: .cancelled),
        Story(
            name: "cancel at rest", words: [.start, .pause, .stopped, .cancel], actions: [.begin, .stop, .end],
            state: .cancelled),
        Story(
            name: "too late to cancel", words: [.start, .cancel, .finished, .cancel, .discard],
            actions: [.begin, .stop, .end], state: .finished),
        Story(
            name: "discard", words: [.start, .downloading, .discard, .stopped, .discarded],
            actions: [.begin, .stop, .discard, .end], state: .cancelled),
        Story(
            name: "not cancelled before all is gone", words: [.start, .downloading, .discard, .stopped],
            actions: [.begin, .stop, .discard], state: .downloading),
        Story(
            name: "discard at rest", words: [.start, .pause, .stopped, .discard, .discard, .discarded],
            actions: [.begin, .stop, .discard, .end], state: .cancelled),
        Story(
            name: "discard what failed meanwhile", words: [.start, .discard, .failed, .discarded],
            actions: [.begin, .stop, .discard, .end], state: .failed),
        Story(
            name: "discard after cancel", words: [.start, .cancel, .stopped, .discard, .discarded],
            actions: [.begin, .stop, .end, .discard], state: .cancelled),
        Story(
            name: "discard after failure", words: [.start, .failed, .discard], actions: [.begin, .end, .discard],
            state: .failed),
    ]

    @Test(arguments: stories) func tells(_ story: Story) {
        var life = Lifecycle()
        var actions: [Lifecycle.Action] = []
        for word in story.words { actions += Self.tell(word, to: &life) }
        #expect(actions == story.actions, "\(story.name)")
        #expect(life.state == story.state, "\(story.name)")
    }

    private static func tell(_ word: Word, to life: inout Lifecycle) -> [Lifecycle.Action] {
        switch word {
        case .start: return life.start()
        case .probing: life.reached(.probing)
        case .downloading: life.reached(.downloading)
        case .verifying: life.reached(.verifying)
        case .pause: return life.pause()
        case .resume: return life.resume()
        case .cancel: return life.cancel()
        case .discard: return life.cancel(discarding: true)
        case .discarded: return life.discarded()
        case .finished: return life.attemptEnded(.finished)
        case .failed: return life.attemptEnded(.failed)
        case .stopped: return life.attemptEnded(.stopped)
        }
        return []
    }

    /// Whatever is wanted in whatever order: one attempt at a time, one end, and no way out of it.
    @Test(arguments: 0..<200) func neverTwoAttempts(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var life = Lifecycle()
        var attempts = 0
        var ends = 0
        _ = life.start()
        attempts += 1
        for _ in 0..<200 {
            let words: [Word] = [.downloading, .pause, .resume, .cancel, .discard, .stopped, .failed, .finished]
            let weights = [6, 12, 12, 1, 1, 12, 1, 1]
            var choice = Int(random.next() % UInt64(weights.reduce(0, +)))
            let index = weights.firstIndex { weight in
                choice -= weight
                return choice < 0
            }
            let word = words[index ?? 0]
            let before = life.state
            let endsAttempt = [.stopped, .failed, .finished].contains(word)
            if endsAttempt, attempts == 0 { continue }
            if endsAttempt { attempts -= 1 }
            var actions = Self.tell(word, to: &life)
            while let action = actions.first {
                actions.removeFirst()
                switch action {
                case .begin: attempts += 1
                case .stop: #expect(attempts == 1)
                case .discard: actions += life.discarded()
                case .end: ends += 1
                }
            }
            #expect(attempts <= 1)
            if before.isFinal { #expect(life.state == before) }
            if life.state.isFinal { #expect(ends == 1 && attempts == 0) }
            if life.state == .paused { #expect(attempts == 0) }
        }
    }
}
