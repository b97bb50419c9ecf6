extension TransferScheduler {
    /// Gives idle workers something to do: what waits, then half of what the slowest has left, at last the same bytes.
    mutating func assign(now: Duration) -> [Action] {
        guard phase == .probing || phase == .transferring else { return [] }
        if phase == .transferring, flights.isEmpty, queue.isEmpty {
            phase = .verifying
            // All that was wanted is here, and nobody has said how much more there is.
            size = size ?? finished.front(from: 0)
            return news() + [.verify]
        }
        var actions: [Action] = []
        while now >= holdUntil, resolver == nil, flights.count < allowed(now: now), let slot = idleSlot {
            if let entry = queue.next(
                share: share(of: slot), minimum: split.minimumSplit, alignment: split.alignment,
                horizon: phase == .transferring && plan.isParallel ? horizon : .max, now: now)
            {
                actions.append(launch(entry, on: slot, now: now))
            } else if queue.isEmpty || isWindowFull, phase == .transferring, let takeOver = takeOver(now: now) {
                actions.append(.shorten(slot: takeOver.from, to: takeOver.entry.range.lowerBound))
                actions.append(launch(takeOver.entry, on: slot, now: now))
            } else if queue.isEmpty || isWindowFull, phase == .transferring, let rival = raceable(now: now) {
                actions.append(race(rival, on: slot, now: now))
            } else {
                break
            }
        }
        return actions
    }

    /// Connections that may be at work now.
    private func allowed(now: Duration) -> Int {
        guard phase == .transferring, case .parallel(let connections) = plan else { return 1 }
        return max(1, min(connections, cap.current, growth?.allowed ?? .max, admitted))
    }

    /// Connections that could be of use now, whatever the budget says.
    package var usefulConnections: Int {
        guard phase == .transferring, case .parallel(let connections) = plan else { return 1 }
        return min(connections, cap.current, growth?.allowed ?? .max)
    }

    /// Whether all that may be asked for is asked for although more is missing: then whoever is slow holds up all.
    private var isWindowFull: Bool {
        guard split.window != nil, let first = queue.entries.first else { return false }
        let share = idleSlot.map { self.share(of: $0) } ?? fairShare
        let end = SegmentQueue.aligned(first.range.lowerBound.saturatingAdd(share), to: split.alignment)
        return min(first.range.upperBound, end) > horizon
    }

    private var idleSlot: Int? { (0..<split.connections).first { flights[$0] == nil } }

    /// What each connection would get if all that is missing were dealt out now.
    private var fairShare: Int64 {
        guard phase == .transferring, case .parallel(let connections) = plan, queue.total < .max else { return .max }
        let inFlight = flights.values.reduce(0) { $0 + $1.remaining }
        // Who was admitted as many as are tried now may have more in a moment.
        let budget = admitted < usefulConnections ? admitted : .max
        let expected = growth?.timeToLook == nil ? usefulConnections : min(connections, cap.current)
        let count = Int64(max(1, min(expected, budget)))
        var share = min(dealt(among: count), (queue.total + inFlight) / count)
        // What is kept for those to come must not be so small that asking for it takes as long as getting it.
        let wait = answersLate ? lastAnswer : quickestAnswer ?? .zero
        let worth = Int64(min(fastest * wait.seconds * 2, 1e15))
        let present = Int64(max(1, min(usefulConnections, budget)))
        share = max(share, min(worth, (queue.total + inFlight) / present))
        return min(max(share, split.minimumSplit), split.maximumShare ?? .max)
    }

    /// Where asking again costs next to nothing, connections get half of their part of what waits, again and again: then
    /// they end together without being cut off, however different they are.
    ///
    /// Slow ones are cut off without a loss, and are held to one rate as often as not: then equal parts end together.
    private func dealt(among count: Int64) -> Int64 {
        guard let quickestAnswer, quickestAnswer < Self.nearby, !answersLate, fastest == 0 || fastest > Self.fast
        else { return .max }
        return max(queue.total / (2 * count), Self.leastDealt)
    }

    /// Answers that come sooner than this are worth asking for several times in place of once.
    static let nearby: Duration = .milliseconds(5)
    /// Rate of a connection, in bytes a second, from which on cutting it off leaves much in its sockets.
    private static let fast = Double(64 << 20)
    /// The last pieces that are dealt out, in bytes.
    private static let leastDealt: Int64 = 8 << 20

    /// What one connection gets: within a window, who is slow gets less, since everything behind it has to wait.
    private func share(of slot: Int) -> Int64 {
        let share = fairShare
        guard split.window != nil, share < .max, let own = lastRates[slot], own < fastest else { return share }
        return max(split.alignment, Int64(Double(share) * own / fastest) / split.alignment * split.alignment)
    }

    private mutating func launch(
        _ entry: SegmentQueue.Entry, on slot: Int, rival: Int? = nil, now: Duration
    ) -> Action {
        flights[slot] = Flight(slot: slot, entry: entry, resolution: resolution, rival: rival, now: now)
        mostAsked = max(mostAsked, flights.count)
        let resolvesAnew = mustResolve
        if mustResolve {
            mustResolve = false
            resolver = slot
            flights[slot]?.resolvedItself = true
        }
        return .fetch(
            FetchOrder(
                slot: slot, range: entry.range, asksForRange: asksForRanges, isProbe: phase == .probing,
                resolvesAnew: resolvesAnew, needsFreshConnection: entry.attempts > 0))
    }

    /// A flight that ends sooner is left alone, in seconds: cutting it costs a connection, and what lies in its buffers.
    private static let worthCutting = 0.25

    /// The back part of the flight with the longest time to go, cut so that both would end together.
    private mutating func takeOver(now: Duration) -> (from: Int, entry: SegmentQueue.Entry)? {
        let least = leastPiece
        let candidates = flights.values.filter {
            ($0.isAnswered || isLate($0, now: now)) && $0.rival == nil && $0.abortReason == nil
                && $0.remaining >= 2 * least && timeLeft($0, now) > Self.worthCutting
        }
        guard let victim = candidates.max(by: { timeLeft($0, now) < timeLeft($1, now) }) else { return nil }
        let share = shareOfNewcomer(victim, now: now)
        let taken = max(least, Int64(Double(victim.remaining) * share))
        let kept = min(victim.remaining - taken, victim.remaining - least)
        let cut = SegmentQueue.aligned(victim.position + max(kept, least), to: split.alignment)
        guard cut < victim.range.upperBound else { return nil }
        let parts = victim.range.split(at: cut)
        flights[victim.slot]?.range = parts.before
        return (victim.slot, SegmentQueue.Entry(range: parts.after, attempts: 0, notBefore: now))
    }

    /// Smallest piece that is cut from a running request.
    private var leastPiece: Int64 {
        guard fastest > 0 else { return split.minimumSplit }
        let halfSecond = Int64(min(fastest / 2, Double(split.minimumSplit)))
        return min(split.minimumSplit, max(split.leastPiece, halfSecond))
    }

    /// Part of the remaining bytes that a new connection would carry in the time that the old one needs for the rest.
    private func shareOfNewcomer(_ victim: Flight, now: Duration) -> Double {
        let others = flights.values.compactMap { $0.slot == victim.slot ? nil : $0.rate(at: now) }
        guard let own = victim.rate(at: now), !others.isEmpty else { return 0.5 }
        let typical = max(others.reduce(0, +) / Double(others.count), fastest)
        guard typical + own > 0 else { return 0.5 }
        return min(max(typical / (typical + own), 0.5), 0.98)
    }

    private func timeLeft(_ flight: Flight, _ now: Duration) -> Double {
        Double(flight.remaining) / max(flight.rate(at: now) ?? fastest, 1)
    }

    /// A flight so slow that fetching its rest a second time is quicker, and may still be.
    private func raceable(now: Duration) -> Flight? {
        guard size != nil else { return nil }
        // Who holds up a window is raced as often as it takes: a race costs little of it. With one that has no answer it
        // costs nothing, and a server that serves one connection at a time answers only on the one that it knows.
        let isSpent = races >= split.maximumRaces && !isWindowFull
        // Then one more at a time is enough: the next one goes where that one was answered.
        let isOpen = flights.values.contains { flight in
            !flight.isAnswered && flight.rival.map { flights[$0]?.isAnswered == false } ?? false
        }
        // What is longer is divided instead: a race never costs more than this twice.
        let candidates = flights.values.filter {
            $0.rival == nil && $0.abortReason == nil && ($0.isAnswered || isLate($0, now: now))
                && (1..<2 * leastPiece).contains($0.remaining) && ($0.isAnswered ? !isSpent : !isOpen)
        }
        guard let slowest = candidates.max(by: { timeLeft($0, now) < timeLeft($1, now) }) else { return nil }
        let ownTime = timeLeft(slowest, now)
        // Where no answer took long enough to be measured they are all quick, but for one that has brought nothing.
        if fastest == 0, slowest.rate(at: now) == nil { return nil }
        let newTime = (quickestAnswer ?? .zero).seconds + (fastest > 0 ? Double(slowest.remaining) / fastest : 0)
        return ownTime > Self.worthRacing && ownTime > 3 * newTime ? slowest : nil
    }

    /// A flight that ends sooner is waited for, in seconds: measurements are no better than this.
    private static let worthRacing = 0.5

    private mutating func race(_ slowest: Flight, on slot: Int, now: Duration) -> Action {
        if slowest.isAnswered { races += 1 }
        flights[slowest.slot]?.rival = slot
        let entry = SegmentQueue.Entry(
            range: ByteRange(slowest.position, slowest.range.upperBound), attempts: 0, notBefore: now)
        return launch(entry, on: slot, rival: slowest.slot, now: now)
    }

    mutating func abortAll(_ reason: Flight.AbortReason) -> [Action] {
        var actions: [Action] = []
        for slot in flights.keys.sorted() where flights[slot]?.abortReason == nil {
            flights[slot]?.abortReason = reason
            actions.append(.abort(slot: slot))
        }
        return actions
    }
}
