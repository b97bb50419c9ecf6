extension TransferScheduler {
    /// A request ended: its bytes are written and recorded.
    ///
    /// - Parameters:
    ///   - slot: index of the worker.
    ///   - end: how it ended.
    ///   - now: time on the engine's clock.
    /// - Returns: what to do.
    package mutating func ended(_ slot: Int, _ end: FlightEnd, now: Duration) -> [Action] {
        guard let flight = flights.removeValue(forKey: slot) else { return [] }
        if resolver == slot { resolver = nil }
        lastRates[slot] = flight.isAnswered ? flight.rate(at: now) ?? lastRates[slot] : lastRates[slot]
        if let rate = flight.meanRate(to: end.position, at: now) { fastest = max(fastest, rate) }
        let isOpen = phase == .transferring || phase == .verifying
        let received = ByteRange(flight.range.lowerBound, min(end.position, flight.range.upperBound))
        if isOpen { finished.insert(received) }
        if !received.isEmpty {
            (lastDelivery, failuresInRow) = (now, 0)
            // One that was over before anybody looked.
            mostServed = max(mostServed, flights.values.count { $0.isAnswered } + 1)
            // Others were refused beside this one. It has ended, and nobody is left whom its host could count.
            if flights.isEmpty { queue.hasten(now: now) }
        }
        var actions = settleRival(of: flight, brought: received)
        switch phase {
        case .restarting(let reason):
            return flights.isEmpty ? actions + [.startOver(reason: reason)] : actions
        case .failing:
            return actions + finishFailing()
        case .probing, .transferring:
            let rest = ByteRange(max(flight.range.lowerBound, end.position), flight.range.upperBound)
            actions += settle(flight, end, rest: rest, progressed: !received.isEmpty, now: now)
            return actions + assign(now: now)
        case .idle, .verifying, .ended:
            return actions
        }
    }

    /// One of two racing requests ended: the other is ended too if nothing is left to it.
    private mutating func settleRival(of flight: Flight, brought received: ByteRange) -> [Action] {
        guard let other = flight.rival, let rival = flights[other] else { return [] }
        flights[other]?.rival = nil
        guard finished.contains(ByteRange(rival.position, rival.range.upperBound)), rival.abortReason == nil else {
            return []
        }
        flights[other]?.abortReason = .overtaken
        return [.abort(slot: other)]
    }

    private mutating func settle(
        _ flight: Flight, _ end: FlightEnd, rest: ByteRange, progressed: Bool, now: Duration
    ) -> [Action] {
        switch end.cause {
        case .complete:
            // Who was asked for all has nothing more to give: the rest can't be asked for.
            let isShort = phase == .transferring && !asksForRanges && finished.front(from: 0) < size ?? .max
            guard isShort || !progressed && !rest.isEmpty else {
                let brought = rest.isEmpty ? Int64.max : end.position - flight.range.lowerBound
                requeue(rest, attempts: 0, notBefore: now + pause(brought: brought))
                return []
            }
            let words = progressed ? "an answer that ended early" : "an empty answer"
            return retry(flight, rest, false, .broken(.brokenInBody(detail: "no data")), words, now: now)
        case .wholeFile:
            size = end.position
            queue.removeAll()
            return []
        case .aborted:
            guard flight.abortReason == .stalled else {
                requeue(rest, attempts: flight.attempts, notBefore: now)
                return []
            }
            return retry(flight, rest, progressed, .stalled, "no data for \(timing.stall.wholeSeconds) s", now: now)
        case .broke(let error):
            return settleBroken(flight, error, rest: rest, progressed: progressed, now: now)
        case .refused(let refusal):
            return settleRefused(flight, end, refusal, rest: rest, progressed: progressed, now: now)
        }
    }

    private mutating func settleBroken(
        _ flight: Flight, _ error: TransportError, rest: ByteRange, progressed: Bool, now: Duration
    ) -> [Action] {
        if retry.classify(error) == .refusedConnection, !flight.isAnswered, othersLive {
            return refused(rest, flight, because: error.summary, retryAfter: nil, now: now)
        }
        if retry.classify(error) == .fatal, !flight.isAnswered, !mayComeBack(error) {
            return fail(.network(error, attempts: 1))
        }
        return retry(flight, rest, progressed, .broken(error), error.summary, now: now)
    }

    /// Whether an interface is gone that has served: a tunnel is set up anew, a cable put back.
    private func mayComeBack(_ error: TransportError) -> Bool {
        if case .noInterface = error { lastDelivery != nil || othersLive } else { false }
    }

    private mutating func settleRefused(
        _ flight: Flight, _ end: FlightEnd, _ refusal: AnswerRefusal, rest: ByteRange, progressed: Bool, now: Duration
    ) -> [Action] {
        switch refusal {
        case .changed(let reason, _):
            return change(reason, now: now)
        case .status(let status, let retryAfter):
            if end.wasRedirected, retry.mayMeanExpiredAddress(status: status) {
                return resolveAnew(flight, refusal, rest: rest, now: now)
            }
            return settleStatus(status, retryAfter, flight, refusal, rest: rest, progressed: progressed, now: now)
        case .unsatisfiable(let total):
            return settleUnsatisfiable(flight, refusal, total: total, rest: rest, now: now)
        case .wholeBody, .misplaced, .multipart, .encoded:
            return settleUnusable(flight, refusal, rest: rest, now: now)
        case .redirect:
            return fail(.refused(refusal))
        }
    }

    private mutating func settleStatus(
        _ status: Int, _ retryAfter: Duration?, _ flight: Flight, _ refusal: AnswerRefusal, rest: ByteRange,
        progressed: Bool, now: Duration
    ) -> [Action] {
        if phase == .probing, asksForRanges, refusal.mayMeanRange {
            return fallBackToOneStream(flight, because: refusal.summary, now: now)
        }
        switch retry.classify(status: status) {
        case .refusedConnection where othersLive, .final(unlessOthersLive: true) where othersLive:
            return refused(rest, flight, because: "HTTP \(status)", retryAfter: retryAfter, now: now)
        case .final(unlessOthersLive: true) where wasSentBesideOthers(flight):
            return retry(flight, rest, progressed, .refused(refusal), "HTTP \(status)", after: retryAfter, now: now)
        case .final, .fatal, .cancelled:
            return fail(.refused(refusal))
        case .retryable, .refusedConnection:
            if let retryAfter {
                // A wait that nobody would sit through ends here, in words; what is on hand stays.
                if retryAfter > RetryPolicy.longestWait { return fail(.refused(refusal)) }
                holdUntil = max(holdUntil, now + retryAfter)
            }
            return retry(flight, rest, progressed, .refused(refusal), "HTTP \(status)", after: retryAfter, now: now)
        }
    }

    /// 416: the end of a file of unknown size, an empty file, or a server that wants no range.
    private mutating func settleUnsatisfiable(
        _ flight: Flight, _ refusal: AnswerRefusal, total: Int64?, rest: ByteRange, now: Duration
    ) -> [Action] {
        if phase == .transferring, size == nil, total == nil || total == flight.position {
            // Without a total it may be a mishap in the middle of the file: an end is one the second time too.
            if total == nil, flight.attempts == 0 {
                return retry(flight, rest, false, .refused(refusal), refusal.summary, now: now)
            }
            size = flight.position
            queue.removeAll()
            return []
        }
        guard asksForRanges else { return fail(.refused(refusal)) }
        if phase == .transferring, let total, let size, total != size {
            return change("the file is \(total) bytes long now, not \(size)", now: now)
        }
        // One connection's mishap must not cost what the others have brought.
        if phase == .transferring { return settleUnusable(flight, refusal, rest: rest, now: now) }
        return fallBackToOneStream(flight, because: refusal.summary, now: now)
    }

    /// An answer that can't be written where it was wanted: tried again twice, then the whole file is asked for.
    private mutating func settleUnusable(
        _ flight: Flight, _ refusal: AnswerRefusal, rest: ByteRange, now: Duration
    ) -> [Action] {
        // Others that came meanwhile say the same: who serves no ranges any more need not be asked by every worker.
        if case .wholeBody = refusal { unusedBodies += 1 }
        let attempts = max(flight.attempts + 1, unusedBodies)
        // With a smaller budget too, so that it is not spent before the whole file was asked for.
        let tries = min(2, retry.limit)
        guard asksForRanges, attempts > tries || (phase == .probing && flight.range.lowerBound == 0) else {
            return retry(flight, rest, false, .refused(refusal), refusal.summary, now: now)
        }
        return fallBackToOneStream(flight, because: refusal.summary, now: now)
    }

    private mutating func fallBackToOneStream(_ flight: Flight, because reason: String, now: Duration) -> [Action] {
        asksForRanges = false
        if phase == .probing {
            queue.insert(ByteRange(0, .max), notBefore: now)
            return [.retrying(reason: reason + ": asking for the whole file", wait: .zero)]
        }
        return restart(reason: reason + ": asking for the whole file in one stream", now: now)
    }

    /// The resource is another one now.
    ///
    /// - Parameters:
    ///   - reason: for the user.
    ///   - now: time on the engine's clock.
    /// - Returns: what to do: start over, twice at most.
    package mutating func change(_ reason: String, now: Duration) -> [Action] {
        restarts += 1
        guard restarts <= Self.mostRestarts, !isCommitted else { return fail(.changed(reason: reason)) }
        return restart(reason: reason, now: now)
    }

    /// How often a changed resource is fetched anew.
    static let mostRestarts = 2

    /// The address that redirects led to has expired: one request asks the original again, for all workers.
    private mutating func resolveAnew(
        _ flight: Flight, _ refusal: AnswerRefusal, rest: ByteRange, now: Duration
    ) -> [Action] {
        if flight.resolution == resolution, resolver == nil {
            // The address that was just resolved is refused too, before it brought a byte: it is no expiry.
            if flight.resolvedItself, flight.position == flight.range.lowerBound {
                return retry(flight, rest, false, .refused(refusal), refusal.summary, now: now)
            }
            resolution += 1
            mustResolve = true
        }
        requeue(rest, attempts: flight.attempts, notBefore: now)
        return []
    }

    /// The host does not want this connection beside the others: the work is done by fewer.
    private mutating func refused(
        _ rest: ByteRange, _ flight: Flight, because reason: String, retryAfter: Duration?, now: Duration
    ) -> [Action] {
        holdUntil = max(holdUntil, cap.refused(alive: flights.count, because: reason, now: now))
        if let retryAfter { holdUntil = max(holdUntil, now + min(retryAfter, RetryPolicy.longestWait)) }
        requeue(rest, attempts: flight.attempts, notBefore: now)
        return []
    }

    private var othersLive: Bool { flights.values.contains { $0.isAnswered && $0.abortReason == nil } }

    /// Whether a request was sent while a connection brought bytes, or a moment later: the host may not have seen its end.
    ///
    /// However long the host took to refuse it.
    private func wasSentBesideOthers(_ flight: Flight) -> Bool {
        lastDelivery.map { flight.startedAt - $0 < .seconds(1) } ?? false
    }

    private enum Reason {
        case stalled
        case broken(TransportError)
        case refused(AnswerRefusal)
    }

    /// Whether the file comes as one stream that can only begin anew.
    private var isUnresumable: Bool {
        phase == .transferring && (plan == .single(.rangesIgnored) || !asksForRanges)
    }

    /// Puts the rest back with a wait, or gives up when the budget of attempts without progress is spent.
    private mutating func retry(
        _ flight: Flight, _ rest: ByteRange, _ progressed: Bool, _ reason: Reason, _ words: String,
        after retryAfter: Duration? = nil, now: Duration
    ) -> [Action] {
        if isUnresumable {
            return retryWholeFile(flight, reason, words, after: retryAfter, now: now)
        }
        let attempts = progressed ? 0 : flight.attempts + 1
        if !progressed { failuresInRow += 1 }
        if attempts > retry.limit, isBudgetSpent { return fail(failure(for: reason, attempts)) }
        let wait =
            attempts == 0
            ? pause(brought: rest.lowerBound - flight.range.lowerBound)
            // The first refusal behind a delivery may only be early: the host has not seen that connection's end yet.
            : retry.delay(
                attempt: failuresInRow == 1 && wasSentBesideOthers(flight) ? 1 : attempts, random: random.unit(),
                retryAfter: retryAfter)
        requeue(rest, attempts: attempts, notBefore: now + wait)
        // A host that refuses the only connection would refuse the next range's at once as well: all of them wait.
        if !flight.isAnswered, flights.isEmpty { holdUntil = max(holdUntil, now + wait) }
        let asked = retryAfter == nil ? "" : ", and the server asked to wait"
        return [.retrying(reason: words + asked, wait: wait)]
    }

    /// Whether the host as a whole brings nothing any more.
    ///
    /// A range may be refused as often as it takes while others bring bytes: the host is there, and lets in few. Requests
    /// that have no answer yet are waited for, until all connections have failed often enough.
    private var isBudgetSpent: Bool {
        guard !othersLive else { return false }
        return failuresInRow > (flights.isEmpty ? retry.limit : retry.limit * split.connections)
    }

    /// A stream that can't be resumed begins anew; getting further than ever before is progress.
    private mutating func retryWholeFile(
        _ flight: Flight, _ reason: Reason, _ words: String, after retryAfter: Duration?, now: Duration
    ) -> [Action] {
        let attempts = flight.position > highWater ? 0 : flight.attempts + 1
        highWater = max(highWater, flight.position)
        guard attempts <= retry.limit else { return fail(failure(for: reason, attempts)) }
        let wait = retry.delay(attempt: max(1, attempts), random: random.unit(), retryAfter: retryAfter)
        queue.removeAll()
        phase = .restarting(reason: words)
        queue.insert(ByteRange(0, .max), attempts: attempts, notBefore: now + wait)
        return [
            .retrying(reason: words, wait: wait),
            .startOver(reason: words + ", and the server does not serve ranges"),
        ]
    }

    /// Least bytes of an answer that ended early for which the next request is sent at once.
    private static let leastBrought: Int64 = 4096

    /// Wait before more is asked of a server that gives a few bytes at a time: it must not become a storm of requests.
    private func pause(brought: Int64) -> Duration { brought < Self.leastBrought ? .milliseconds(200) : .zero }

    private func failure(for reason: Reason, _ attempts: Int) -> TransferFailure {
        switch reason {
        case .stalled: .stalled(attempts: attempts)
        case .broken(let error): .network(error, attempts: attempts)
        case .refused(let refusal): .refused(refusal)
        }
    }

    /// Puts back what is neither on disk nor in flight.
    private mutating func requeue(_ rest: ByteRange, attempts: Int, notBefore: Duration) {
        var covered = finished
        for flight in flights.values { covered.insert(ByteRange(flight.position, flight.range.upperBound)) }
        for gap in covered.gaps(in: rest) { queue.insert(gap, attempts: attempts, notBefore: notBefore) }
    }

    /// Ends all requests and reports the failure when the last one is gone.
    mutating func fail(_ failure: TransferFailure) -> [Action] {
        self.failure = failure
        phase = .failing
        queue.removeAll()
        return flights.isEmpty ? finishFailing() : abortAll(.restarting)
    }

    private mutating func finishFailing() -> [Action] {
        guard flights.isEmpty, let failure else { return [] }
        phase = .ended
        return [.fail(failure)]
    }
}
