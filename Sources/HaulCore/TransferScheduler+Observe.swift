extension TransferScheduler {
    /// What the engine sees of a running request.
    package struct Sighting: Hashable, Sendable {
        /// Offset after the last byte that came.
        package var position: Int64
        /// Whether the connection stands.
        package var isConnected: Bool
        /// Whether the answer was judged and taken.
        package var isAnswered: Bool
        /// Bytes that came and lie before what is wanted.
        package var skipped: Int64
        /// Whether the body is held back because its consumer is behind.
        package var isHeld: Bool
        /// Redirects that were followed on the way to the answer.
        package var hops: Int

        /// Makes a sighting.
        package init(
            position: Int64, isConnected: Bool, isAnswered: Bool, skipped: Int64 = 0, isHeld: Bool = false,
            hops: Int = 0
        ) {
            self.position = position
            self.isConnected = isConnected
            self.isAnswered = isAnswered
            self.skipped = skipped
            self.isHeld = isHeld
            self.hops = hops
        }
    }

    /// Takes note of how far a request is; to be called for all of them before any other call.
    ///
    /// - Parameters:
    ///   - sighting: what was seen.
    ///   - slot: index of the worker.
    ///   - now: time on the engine's clock.
    package mutating func observe(_ sighting: Sighting, on slot: Int, now: Duration) {
        guard var flight = flights[slot] else { return }
        let isHop = sighting.hops > flight.hops
        if isHop || sighting.isConnected != flight.isConnected || sighting.position > flight.position {
            flight.lastChange = now
        }
        if !sighting.isAnswered, now - flight.startedAt > Self.nearby * 4 { answersLate = true }
        if sighting.isAnswered, !flight.isAnswered {
            flight.isAnswered = true
            flight.measureAnew(from: sighting.position, now: now)
            noteAnswer(of: flight, now: now)
            if resolver == slot { resolver = nil }
        }
        if sighting.skipped > flight.skipped || sighting.isHeld {
            // Neither is the connection's fault.
            flight.measureAnew(from: sighting.position, now: now)
            flight.skipped = sighting.skipped
        }
        flight.isConnected = sighting.isConnected
        flight.hops = sighting.hops
        flight.position = max(flight.position, min(sighting.position, flight.range.upperBound))
        flight.recent.note(flight.position, now: now)
        flights[slot] = flight
        if let rate = flight.rate(at: now) { fastest = max(fastest * 0.999, rate) }
    }

    /// Time went by: replaces what stalled, sends what is due, and tries one more connection where one was refused.
    ///
    /// - Parameter now: time on the engine's clock.
    /// - Returns: what to do.
    package mutating func tick(now: Duration) -> [Action] {
        // A gap means that the machine or the process slept: silence in it proves nothing.
        if now - lastTick > max(.seconds(2), timing.stall / 4) {
            for slot in flights.keys {
                if let position = flights[slot]?.position { flights[slot]?.measureAnew(from: position, now: now) }
            }
        }
        lastTick = now
        cap.grow(now: now)
        let answered = flights.values.count { $0.isAnswered }
        serves(answered, now: now)
        if phase == .transferring {
            let received = received
            speedUp.tick(answered: answered, received: received, now: now)
        }
        var actions = news()
        for slot in flights.keys.sorted() {
            guard let flight = flights[slot] else { continue }
            if flight.abortReason != nil {
                // The order to end may have come before the request was sent: it is repeated until it works.
                actions.append(.abort(slot: slot))
            } else if isDead(flight, now: now) {
                flights[slot]?.abortReason = .stalled
                actions.append(.abort(slot: slot))
            } else if flight.isAnswered, now - flight.rateSince.time > timing.stall {
                flights[slot]?.rateSince = (now, flight.position)
            }
        }
        return actions + assign(now: now)
    }

    /// Judges how many connections pay; to be called when all requests were observed.
    ///
    /// - Parameter now: time on the engine's clock.
    package mutating func judgeGrowth(now: Duration) {
        guard phase == .transferring, growth != nil else { return }
        let counted = flights.values.count { $0.isAnswered || isLate($0, now: now) }
        let received = received
        growth?.look(
            answered: counted, received: received, missing: size.map { $0 - received } ?? .max,
            quickestAnswer: quickestAnswer ?? .zero, now: now)
    }

    /// Uses connections that were found to pay since the last tick.
    ///
    /// - Parameter now: time on the engine's clock.
    /// - Returns: what to do.
    package mutating func look(now: Duration) -> [Action] { assign(now: now) }

    /// When to look again; nil if the next tick is soon enough.
    package var timeToLook: Duration? {
        guard phase == .transferring, let growth, flights.count >= growth.allowed else { return nil }
        return growth.timeToLook
    }

    /// Bytes that have come in all.
    private var received: Int64 {
        flights.values.reduce(finished.total) { $0 + $1.position - $1.range.lowerBound }
    }

    /// A server that answers a request serves ranges, and shows how long it takes to begin.
    mutating func noteAnswer(of flight: Flight, now: Duration) {
        unusedBodies = 0
        let time = now - flight.startedAt
        quickestAnswer = quickestAnswer.map { min($0, time) } ?? time
        lastAnswer = time
        serves(flights.values.count { $0.isAnswered && $0.slot != flight.slot } + 1, now: now)
    }

    /// That the host allows fewer connections than was told before.
    mutating func news() -> [Action] {
        cap.news().map { [.capped(connections: $0.connections, reason: $0.reason)] } ?? []
    }

    private mutating func serves(_ count: Int, now: Duration) {
        mostServed = max(mostServed, count)
        cap.serves(count, now: now)
    }

    /// Whether a request waits for its answer so much longer than others did that it need not be waited for.
    func isLate(_ flight: Flight, now: Duration) -> Bool {
        guard !flight.isAnswered else { return false }
        let patience = quickestAnswer.map { .milliseconds(600) + $0 * 3 } ?? .seconds(1)
        return now - flight.startedAt > patience
    }

    private func isDead(_ flight: Flight, now: Duration) -> Bool {
        // Until the connection stands, the transport's own time-out rules.
        guard flight.isConnected else { return false }
        if now - flight.lastChange > timing.stall { return true }
        let time = now - flight.rateSince.time
        guard flight.isAnswered, time > timing.stall else { return false }
        return Double(flight.position - flight.rateSince.position) < timing.slowestRate * (time / .seconds(1))
    }
}
