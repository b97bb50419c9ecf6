/// Decides what is fetched, by which worker, and when: a state machine without clock, task or file.
///
/// The engine tells it what happened and carries out what it answers. Time is the engine's, since the start of the
/// download; randomness comes from the seed given at the start.
package struct TransferScheduler: Sendable {
    /// What the engine must do next, in order.
    package enum Action: Sendable {
        /// Send a request.
        case fetch(FetchOrder)
        /// Let the worker's request end at this offset: another takes over from there.
        case shorten(slot: Int, to: Int64)
        /// End the worker's request; its `ended` event still has to come.
        case abort(slot: Int)
        /// Every byte is here: check them.
        case verify
        /// Throw away what is on hand, then send `started` again.
        case startOver(reason: String)
        /// Tell the user that an attempt failed and another follows.
        case retrying(reason: String, wait: Duration)
        /// Tell the user that the host allows fewer connections than are wanted.
        case capped(connections: Int, reason: String)
        /// Give up. No request is under way any more.
        case fail(TransferFailure)
    }

    /// What the first judged answer told.
    package struct Opening: Sendable {
        /// Size of the file, nil if the server did not say.
        package var size: Int64?
        /// The most that is wanted, whatever the size turns out to be.
        package var longest: Int64
        /// What the answer in hand is to bring.
        package var answer: ByteRange
        /// What is on hand from earlier runs.
        package var finished: ByteRangeSet
        /// Whether the server serves ranges.
        package var acceptsRanges: Bool
        /// Most bytes that one request asks for from now on; nil is no limit.
        package var maximumShare: Int64?

        /// Makes an opening.
        package init(
            size: Int64?, longest: Int64 = .max, answer: ByteRange, finished: ByteRangeSet, acceptsRanges: Bool,
            maximumShare: Int64? = nil
        ) {
            self.size = size
            self.longest = longest
            self.answer = answer
            self.finished = finished
            self.acceptsRanges = acceptsRanges
            self.maximumShare = maximumShare
        }
    }

    enum Phase: Equatable, Sendable {
        case idle
        case probing
        case transferring
        case restarting(reason: String)
        case verifying
        case failing
        case ended
    }

    var split: SplitPolicy
    let retry: RetryPolicy
    let timing: Timing
    var random: SplitMix64
    var phase = Phase.idle
    /// Size of the file once known.
    package internal(set) var size: Int64?
    /// Bytes that are on disk and recorded.
    package internal(set) var finished = ByteRangeSet()
    /// Requests under way, by worker.
    package internal(set) var flights: [Int: Flight] = [:]
    var queue = SegmentQueue()
    /// Bytes from the beginning that the consumer has taken, where there is one: see `SplitPolicy.window`.
    package private(set) var front: Int64 = 0
    /// Whether bytes have left that can't be taken back: then a changed resource is a failure.
    package var isCommitted = false
    /// Whether the work is divided, and if not, why.
    package internal(set) var plan = SegmentPlan.single(.unknownSize)
    /// Most connections that this host was seen to allow.
    var cap: ConnectionCap
    /// Most connections that the budget of all downloads leaves to this one.
    package var admitted = Int.max
    /// How many connections pay, where that is to be found out.
    var growth: ConnectionGrowth?
    /// How much several connections win.
    package internal(set) var speedUp = SpeedUp()
    /// Most requests that were under way at once, and most that were seen to be answered at once.
    var (mostAsked, mostServed) = (0, 0)
    /// No request is sent before this moment: the server asked for it.
    var holdUntil = Duration.zero
    /// Whether the first request asks for a range.
    package var asksForRanges = true
    var restarts = 0
    var races = 0
    /// How often the original address had to be resolved anew.
    var resolution = 0
    /// Whether the next request must go to the original address.
    var mustResolve = false
    /// The worker whose request resolves the address, while no other may start.
    var resolver: Int?
    /// Best position of a transfer that can't be resumed: what counts as progress there.
    var highWater: Int64 = 0
    var failure: TransferFailure?
    var lastTick = Duration.zero
    /// Rate of each worker's last request, in bytes a second.
    var lastRates: [Int: Double] = [:]
    /// When a request last ended that had brought bytes.
    var lastDelivery: Duration?
    /// Requests, of any worker, that failed since then.
    var failuresInRow = 0
    /// Shortest time from a request to its answer, nil before the first.
    var quickestAnswer: Duration?
    /// Time from a request to its answer, the last time.
    var lastAnswer = Duration.zero
    /// Whether a request was seen to wait for its answer longer than one does nearby.
    var answersLate = false
    /// Whole files that came in place of ranges since the last answer that could be used.
    var unusedBodies = 0
    /// Highest rate of one connection lately, in bytes a second.
    var fastest = 0.0

    /// Times that decide when a connection counts as dead.
    package struct Timing: Hashable, Sendable {
        /// Longest silence of a connection.
        package var stall: Duration = .seconds(15)
        /// Slower than this over the stall time is as good as dead, in bytes a second.
        package var slowestRate: Double = 256

        /// Makes the default times.
        package init() {}
    }

    /// Makes a scheduler.
    ///
    /// - Parameters:
    ///   - split: how the work may be divided.
    ///   - retry: how often and after which time failed requests are sent again.
    ///   - timing: when a connection counts as dead.
    ///   - seed: for the jitter of back-off.
    package init(split: SplitPolicy, retry: RetryPolicy, timing: Timing = Timing(), seed: UInt64) {
        self.split = split
        self.retry = retry
        self.timing = timing
        random = SplitMix64(seed: seed)
        cap = ConnectionCap(limit: split.connections)
        growth = split.growsConnections ? ConnectionGrowth(limit: split.connections) : nil
    }

    /// Whether requests of one version are under way: not before the first answer, nor during a restart.
    package var isTransferring: Bool { phase == .transferring }

    /// Most connections that were at work at once; where the host refused some, those that it served.
    package var mostConnections: Int { cap.hasRefused ? max(1, mostServed) : mostAsked }

    /// Length of the first request.
    package var probeLength: Int64 { split.probeLength }

    /// Begins, or begins anew after `startOver`.
    ///
    /// - Parameters:
    ///   - range: what the first request asks for.
    ///   - now: time on the engine's clock.
    /// - Returns: what to do.
    package mutating func start(asking range: ByteRange, now: Duration) -> [Action] {
        let attempts = queue.entries.first?.attempts ?? 0
        let notBefore = queue.entries.first?.notBefore ?? now
        queue.removeAll()
        finished = ByteRangeSet()
        races = 0
        size = nil
        phase = .probing
        queue.insert(range, attempts: attempts, notBefore: notBefore)
        return assign(now: now)
    }

    /// The first answer was judged: says what the resource is.
    ///
    /// - Parameters:
    ///   - opening: what it told.
    ///   - now: time on the engine's clock.
    /// - Returns: what to do.
    package mutating func open(_ opening: Opening, now: Duration) -> [Action] {
        guard phase == .probing, let probe = flights.keys.first else { return [] }
        phase = .transferring
        size = opening.size
        let shares = [opening.maximumShare, split.windowShare].compactMap(\.self)
        split.maximumShare = shares.min()
        finished = opening.finished
        flights[probe]?.range = opening.answer
        flights[probe]?.position = opening.answer.lowerBound
        flights[probe]?.measureAnew(from: opening.answer.lowerBound, now: now)
        flights[probe]?.isAnswered = true
        if let flight = flights[probe] {
            noteAnswer(of: flight, now: now)
            growth?.begin(answeredAfter: now - flight.startedAt, received: finished.total, now: now)
        }
        resolver = nil
        let whole = ByteRange(0, size ?? opening.longest)
        var covered = finished
        covered.insert(opening.answer)
        for gap in covered.gaps(in: whole) { queue.insert(gap) }
        plan = SegmentPlan(
            size: size, missing: finished.gaps(in: whole).reduce(0) { $0 + $1.length },
            acceptsRanges: opening.acceptsRanges, policy: split)
        return assign(now: now)
    }

    /// Ranges turned out to be bad on disk: they are fetched again.
    ///
    /// - Parameters:
    ///   - ranges: what does not count any more.
    ///   - now: time on the engine's clock.
    /// - Returns: what to do.
    package mutating func repair(_ ranges: [ByteRange], now: Duration) -> [Action] {
        guard phase == .verifying else { return [] }
        phase = .transferring
        for range in ranges { finished.remove(range) }
        for gap in finished.gaps(in: ByteRange(0, size ?? 0)) { queue.insert(gap) }
        return assign(now: now)
    }

    /// The consumer has taken everything before `offset`: the window moves.
    ///
    /// - Parameters:
    ///   - offset: first byte that it has not taken.
    ///   - now: time on the engine's clock.
    /// - Returns: what to do.
    package mutating func advance(to offset: Int64, now: Duration) -> [Action] {
        guard offset > front else { return [] }
        front = offset
        return assign(now: now)
    }

    /// First offset that may not be asked for yet.
    package var horizon: Int64 { split.window.map { front.saturatingAdd($0) } ?? .max }

    /// What is on hand was found worthless from outside, such as by a digest.
    ///
    /// - Parameters:
    ///   - reason: for the user.
    ///   - now: time on the engine's clock.
    /// - Returns: what to do.
    package mutating func restart(reason: String, now: Duration) -> [Action] {
        phase = .restarting(reason: reason)
        queue.removeAll()
        return flights.isEmpty ? [.startOver(reason: reason)] : abortAll(.restarting)
    }
}
