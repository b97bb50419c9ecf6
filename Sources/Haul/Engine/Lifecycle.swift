/// What a download is doing, and what follows when somebody wants something else: a state machine without task or lock.
///
/// A download is a row of attempts, one after another: pausing ends one, resuming begins the next, which goes on from
/// the journal as another process would.
struct Lifecycle: Hashable, Sendable {
    /// What the owner must do next.
    enum Action: Hashable, Sendable {
        /// Begin an attempt; its end is told by `attemptEnded`.
        case begin
        /// Tell the attempt to end, with everything journaled.
        case stop
        /// Remove what is on hand, then call `discarded`.
        case discard
        /// Tell everybody who waits for the end.
        case end
    }

    /// How an attempt ended.
    enum AttemptEnd: Hashable, Sendable {
        case finished
        case failed
        /// Told to stop, by whomever.
        case stopped
    }

    private enum Wish: Hashable, Sendable {
        case pause
        case resume
        case cancel
    }

    private enum Stage: Hashable, Sendable {
        case idle
        case attempting
        case stopping(Wish)
        case paused
        case discarding(DownloadState)
        case ended
    }

    private var stage = Stage.idle
    private var discards = false
    /// What is told to the outside.
    private(set) var state = DownloadState.queued

    /// Whether what is on hand is, or was, to be thrown away.
    var isDiscarding: Bool { discards }

    /// Whether the attempt was told to end.
    var isStopping: Bool {
        if case .stopping = stage { true } else { false }
    }

    /// Whether nothing but its end can follow, or has followed.
    var isEnding: Bool {
        switch stage {
        case .stopping(.cancel), .discarding, .ended: true
        case .idle, .attempting, .stopping, .paused: false
        }
    }

    /// Begins; once.
    mutating func start() -> [Action] {
        guard stage == .idle else { return [] }
        stage = .attempting
        return [.begin]
    }

    /// The attempt got to a state; one that is being stopped has no say any more.
    mutating func reached(_ state: DownloadState) {
        guard stage == .attempting, !state.isFinal, state != .paused else { return }
        self.state = state
    }

    /// Somebody wants it to rest.
    mutating func pause() -> [Action] {
        switch stage {
        case .idle:
            (stage, state) = (.paused, .paused)
            return []
        case .attempting:
            stage = .stopping(.pause)
            return [.stop]
        case .stopping(.resume):
            stage = .stopping(.pause)
            return []
        case .stopping, .paused, .discarding, .ended: return []
        }
    }

    /// Somebody wants it to go on.
    mutating func resume() -> [Action] {
        switch stage {
        case .paused:
            (stage, state) = (.attempting, .queued)
            return [.begin]
        case .stopping(.pause):
            stage = .stopping(.resume)
            return []
        case .idle, .attempting, .stopping, .discarding, .ended: return []
        }
    }

    /// Somebody wants it to end.
    ///
    /// - Parameter discarding: whether what is on hand is not wanted either; one that has ended without a file may still
    ///   be told so.
    /// - Returns: what to do.
    mutating func cancel(discarding: Bool = false) -> [Action] {
        discards = discards || discarding
        switch stage {
        case .attempting:
            stage = .stopping(.cancel)
            return [.stop]
        case .stopping:
            stage = .stopping(.cancel)
            return []
        case .idle, .paused: return conclude(.cancelled)
        case .discarding: return []
        case .ended: return discarding && state != .finished ? [.discard] : []
        }
    }

    /// The attempt is over.
    mutating func attemptEnded(_ end: AttemptEnd) -> [Action] {
        let wish: Wish
        switch stage {
        case .attempting: wish = .cancel
        case .stopping(let other): wish = other
        case .idle, .paused, .discarding, .ended: return []
        }
        switch (end, wish) {
        case (.finished, _):
            (stage, state) = (.ended, .finished)
            return [.end]
        case (.failed, _): return conclude(.failed)
        case (.stopped, .pause):
            (stage, state) = (.paused, .paused)
            return []
        case (.stopped, .resume):
            (stage, state) = (.attempting, .queued)
            return [.begin]
        case (.stopped, .cancel): return conclude(.cancelled)
        }
    }

    /// What was on hand is gone.
    mutating func discarded() -> [Action] {
        guard case .discarding(let final) = stage else { return [] }
        (stage, state) = (.ended, final)
        return [.end]
    }

    private mutating func conclude(_ final: DownloadState) -> [Action] {
        guard !discards else {
            stage = .discarding(final)
            return [.discard]
        }
        (stage, state) = (.ended, final)
        return [.end]
    }
}
