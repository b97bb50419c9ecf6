import Synchronization

/// A download: under way, at rest, or over.
///
/// Any number of readers may follow `states` and `progress`; one that nobody follows costs no more. Dropping it does not
/// cancel it. One that is paused and dropped is over, and its sequences end: what it had received is on disk, and an equal
/// request goes on from there.
public final class Download: Sendable {
    /// What an attempt needs from outside, and what is told at the end.
    struct Work: Sendable {
        /// The threads of an attempt; nil if there can be none.
        let threads: @Sendable () -> DiskThreads?
        /// Runs from the queue to the end, or until its task is cancelled, on those threads.
        let attempt: @Sendable (Download, DiskThreads?) async -> Result<DownloadReceipt, DownloadError>
        /// The download ended.
        let ended: @Sendable (Download) -> Void
        /// Its priority is another one now.
        let reordered: @Sendable (LeaseTicket) -> Void
    }

    private struct State {
        var life = Lifecycle()
        var history = ProgressHistory()
        var work: Work?
        var task: Task<Void, Never>?
        var lease: ConnectionLease?
        var result: Result<DownloadReceipt, DownloadError>?
        var waiters: [Int: CheckedContinuation<Result<DownloadReceipt, DownloadError>, Never>] = [:]
        /// Waiters that left before they were in the table.
        var gone: Set<Int> = []
        var nextWaiter = 0
        /// Who wants it: it is cancelled when the last of them leaves.
        var holders = 0
        /// Path of the finished file, as far as it is known.
        var path: String?

        /// A number for one who waits.
        mutating func takeNumber() -> Int {
            nextWaiter += 1
            return nextWaiter
        }
    }

    /// What is fetched, and where to.
    public let request: DownloadRequest
    /// How it is fetched.
    public let options: DownloadOptions
    /// What happened, in order; ends with the download.
    ///
    /// The newest 64 are kept for a slow reader. For one reader.
    public var events: AsyncStream<DownloadEvent> { eventRow.stream }

    let ticket: LeaseTicket
    private let suggestedPath: @Sendable (DownloadRequest) -> String?
    private let eventRow = EventRow()
    private let stateRow = Newest(DownloadState.queued)
    private let progressRow = Newest<DownloadProgress>()
    private let inner: Mutex<State>

    /// Makes a download that has not begun; `suggestedPath` is where it would go by its address.
    init(
        _ request: DownloadRequest, _ options: DownloadOptions, lease: ConnectionLease? = nil,
        suggestedPath: @escaping @Sendable (DownloadRequest) -> String? = { _ in nil }, work: Work
    ) {
        self.suggestedPath = suggestedPath
        self.request = request
        self.options = options
        ticket = LeaseTicket(request.priority)
        inner = Mutex(State(work: work, lease: lease, holders: 1))
    }

    /// Dropped at rest, it is over: whoever follows it would wait for ever.
    deinit { endSequences() }

    // MARK: - Following

    /// What it is doing now.
    public var state: DownloadState { inner.withLock { $0.life.state } }

    /// The present state and each newer one, newest only; ends with the download.
    public var states: DownloadUpdates<DownloadState> { DownloadUpdates(stateRow) }

    /// Snapshots, newest only, at most ten a second; ends with the download.
    ///
    /// They are of the whole download: pausing and resuming does not make `received` run backwards.
    public var progress: DownloadUpdates<DownloadProgress> { DownloadUpdates(progressRow) }

    /// The newest snapshot; an empty one before the first.
    public var snapshot: DownloadProgress { progressRow.value ?? DownloadProgress() }

    /// What it came to; nil as long as it has not ended.
    public var result: Result<DownloadReceipt, DownloadError>? { inner.withLock { $0.result } }

    /// Waits for the end.
    ///
    /// One that is paused does not end before it is resumed or cancelled.
    ///
    /// - Returns: what the download came to.
    /// - Throws: why it did not end in a finished file. Cancelling the waiting task does not cancel the download.
    public var receipt: DownloadReceipt {
        get async throws(DownloadError) { try await wait(inner.withLock { $0.takeNumber() }).get() }
    }

    /// Path of the finished file as far as it is known: that of the request, or the one that the server's name led to.
    public var path: String? {
        if let known = inner.withLock({ $0.path }) { return known }
        if case .file(let path) = request.destination { return path }
        return nil
    }

    /// The path, or the one that the address suggests.
    var likelyPath: String? { path ?? suggestedPath(request) }

    // MARK: - Steering

    /// Which of those that wait comes first; may change at any time, and counts while the download is queued.
    public var priority: DownloadPriority {
        get { ticket.priority }
        set {
            ticket.priority = newValue
            inner.withLock { $0.work }?.reordered(ticket)
        }
    }

    /// Brings it to rest: everything received is journaled, and connections and files are given back.
    ///
    /// Returns at once; the state is `paused` when it rests. It goes on by `resume()` from the journal, after the same
    /// check of identity as in another process, or when somebody calls `Downloader.download(_:options:)` with an equal
    /// request. One that is queued leaves the queue. Nothing happens to one that has ended, nor to one that goes to a
    /// descriptor, whose reader sets the pace.
    public func pause() {
        if case .descriptor = request.destination { return }
        change { $0.pause() }
    }

    /// Goes on after `pause()`, through the queue; nothing happens to one that is not paused.
    public func resume() { change { $0.resume() } }

    /// Ends it and keeps what was received for the next time; `receipt` then throws `cancelled`.
    ///
    /// Returns at once; all is journaled when the state is `cancelled`.
    public func cancel() { change { $0.cancel() } }

    /// Ends it and removes what is on hand, of earlier runs too; `receipt` then throws `cancelled`.
    ///
    /// Returns at once; partial and journal are gone when the state is `cancelled`. One that has failed or was cancelled
    /// before loses its partial as well; a finished file stays.
    public func cancelAndDiscard() { change { $0.cancel(discarding: true) } }

    // MARK: - The downloader's side

    /// Begins.
    func start() { change { $0.start() } }

    /// One more wants it.
    ///
    /// - Returns: false if it has ended, or is about to.
    func join() -> Bool {
        inner.withLock { state in
            guard state.result == nil, !state.life.isEnding, state.holders > 0 else { return false }
            state.holders += 1
            return true
        }
    }

    /// The connection that was taken before it began; once.
    func takeLease() -> ConnectionLease? { inner.withLock { $0.lease.take() } }

    /// Time that ended attempts took.
    var timeSpent: Duration { inner.withLock { $0.history.timeSpent } }

    /// The present attempt got somewhere.
    func reached(_ phase: DownloadState) { publish { $0.life.reached(phase) } }

    /// What an attempt that did not bring the file came to.
    func noteAttempt(_ figures: DownloadReceipt) { inner.withLock { $0.history.attemptEnded(figures) } }

    /// Where an attempt's snapshots and events go.
    var sink: ProgressSink {
        ProgressSink { progress in
            self.take(progress)
        } events: { event in
            if case .started(let path, _, _) = event {
                self.inner.withLock { $0.path = path.isEmpty ? nil : path }
                self.reached(.downloading)
            }
            if case .restarted = event { self.inner.withLock { $0.history.restarted() } }
            self.eventRow.add(event)
        }
    }

    /// Waits for the end on behalf of one who wants the file: when its task is cancelled it leaves, and the last who
    /// leaves cancels the download and still waits until everything is journaled.
    func resultOrLeave() async -> Result<DownloadReceipt, DownloadError> {
        let number = inner.withLock { $0.takeNumber() }
        return await withTaskCancellationHandler {
            await wait(number)
        } onCancel: {
            leave(number)
        }
    }

    /// Waits until it has ended, whatever it came to.
    func end() async { _ = await wait(inner.withLock { $0.takeNumber() }) }

    private func leave(_ number: Int) {
        let (isLast, waiter) =
            inner.withLock { state in
                state.holders -= 1
                guard state.holders > 0, state.result == nil else { return (state.holders <= 0, nil) }
                let waiter = state.waiters.removeValue(forKey: number)
                if waiter == nil { state.gone.insert(number) }
                return (false, waiter)
            } as (Bool, CheckedContinuation<Result<DownloadReceipt, DownloadError>, Never>?)
        waiter?.resume(returning: .failure(.cancelledKeeping))
        if isLast { cancel() }
    }

    private func wait(_ number: Int) async -> Result<DownloadReceipt, DownloadError> {
        await withCheckedContinuation { continuation in
            let result: Result<DownloadReceipt, DownloadError>? = inner.withLock { state in
                if let result = state.result { return result }
                if state.gone.remove(number) != nil { return .failure(.cancelledKeeping) }
                state.waiters[number] = continuation
                return nil
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    // MARK: - Carrying out

    private func take(_ progress: DownloadProgress) {
        let phase: DownloadState =
            switch progress.phase {
            case .probing: .probing
            case .downloading: .downloading
            case .verifying, .finished: .verifying
            }
        publish { $0.life.reached(phase) }
        inner.withLock { progressRow.put($0.history.snapshot(progress)) }.wake()
    }

    private func change(_ event: (inout Lifecycle) -> [Lifecycle.Action]) {
        let actions = publish { event(&$0.life) }
        for action in actions { perform(action) }
    }

    /// Changes the state, and tells readers if it is another one then.
    @discardableResult
    private func publish<Answer>(_ body: (inout State) -> Answer) -> Answer {
        let (answer, readers) = inner.withLock { state -> (Answer, Newest<DownloadState>.Readers?) in
            let before = state.life.state
            let answer = body(&state)
            guard state.life.state != before else { return (answer, nil) }
            return (answer, stateRow.put(state.life.state))
        }
        readers?.wake()
        return answer
    }

    private func perform(_ action: Lifecycle.Action) {
        switch action {
        case .begin: begin()
        case .stop: inner.withLock { $0.task }?.cancel()
        case .discard: Task { await discard() }
        case .end: conclude()
        }
    }

    private func begin() {
        // Outside the lock: it may have to be made.
        let threads = inner.withLock { $0.work }?.threads()
        let stopped = inner.withLock { state -> Task<Void, Never>? in
            guard let work = state.work else { return nil }
            let task = Task(executorPreference: threads?.executor) {
                let result = await work.attempt(self, threads)
                self.attemptEnded(result)
            }
            state.task = task
            // Whoever told it to stop before now found no task to cancel.
            return state.life.isStopping ? task : nil
        }
        stopped?.cancel()
    }

    private func attemptEnded(_ result: Result<DownloadReceipt, DownloadError>) {
        let end: Lifecycle.AttemptEnd =
            switch result {
            case .success: .finished
            case .failure(let error): error.code == .cancelled ? .stopped : .failed
            }
        let (actions, rest) = publish { state in
            state.task = nil
            state.lease = nil
            let actions = state.life.attemptEnded(end)
            if case .failure(let error) = result, end == .failed || state.life.state == .cancelled {
                state.result = .failure(error)
            }
            if case .success(let receipt) = result { state.result = .success(state.history.receipt(receipt)) }
            let last: DownloadProgress? =
                if case .success(let receipt)? = state.result {
                    state.history.finished(receipt)
                } else {
                    state.history.atRest()
                }
            return (actions, last.map { progressRow.put($0) })
        }
        rest?.wake()
        for action in actions { perform(action) }
    }

    private func discard() async {
        if let path = likelyPath,
            let reason = await Self.discard(path, temporaryDirectory: options.temporaryDirectory)
        {
            eventRow.add(.notice(reason))
        }
        change { $0.discarded() }
    }

    /// Tells everybody that it is over.
    private func conclude() {
        let (waiters, result, work) = inner.withLock { state in
            let result = state.result ?? .failure(state.life.isDiscarding ? .cancelledDiscarding : .cancelledKeeping)
            state.result = result
            defer {
                state.waiters = [:]
                // Whoever keeps a finished download keeps no threads alive.
                state.work = nil
            }
            return (Array(state.waiters.values), result, state.work)
        }
        endSequences()
        work?.ended(self)
        for waiter in waiters { waiter.resume(returning: result) }
    }

    private func endSequences() {
        stateRow.finish().wake()
        progressRow.finish().wake()
        eventRow.finish()
    }
}
