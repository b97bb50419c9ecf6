import HaulCore
import HaulSystem

/// Mirrors: when they come in, and when a source is given up.
extension DownloadRun {
    /// Blocks that a mirror must agree in.
    private static var comparedBlocks: Int { 8 }

    /// What came of comparing a mirror with what is on hand.
    enum MirrorVerdict: Sendable {
        /// Nothing speaks against it.
        case agrees
        /// It can't be used, and why.
        case differs(String)
        /// Nothing on hand could tell yet.
        case undecided
    }

    /// Compares mirrors with what is on hand, as soon as there is something.
    ///
    /// Until its samples agree no byte of a mirror is used, unless the digests of pieces are known.
    mutating func questionMirrors(in group: inout Errands<Outcome>) {
        guard scheduler.isTransferring, let size = scheduler.size, let store else { return }
        let unknown = sources.unknown(upTo: mostSources(size: size))
        if pieces?.cover(size) == true {
            // Each piece's digest tells who is right: what is on hand may be what is wrong.
            for index in unknown { sources.admit(index) }
            return
        }
        guard !unknown.isEmpty, recorded.total >= min(comparesMirrorsAt, size / 2), !recorded.isEmpty else { return }
        comparesMirrorsAt = recorded.total * 2
        let ranges = SampleBlocks(within: recorded, count: 64, seed: engine.seed &+ 2).ranges
        let sampler = Sampler(engine: engine, sender: sender)
        let run = self
        for index in unknown {
            sources.question(index)
            let url = sources[index].url
            let slot = sourceSlot(index)
            group.addTask {
                do throws(DownloadError) {
                    let blocks = try await run.telling(ranges, in: store, atMost: Self.comparedBlocks)
                    guard !blocks.isEmpty else { return .mirror(index, .undecided) }
                    let reason = try await sampler.refutation(of: blocks, size: size, at: url, on: slot)
                    return .mirror(index, reason.map { .differs($0) } ?? .agrees)
                } catch {
                    // Nothing is known of one that was cut off because the file is here.
                    return .mirror(index, error.code == .cancelled ? .undecided : .differs(Self.reason(error)))
                }
            }
        }
    }

    /// What went wrong with a mirror, without its address and the advice to whose whole download failed.
    static func reason(_ error: DownloadError) -> String {
        if let cause = error.cause { return cause }
        if let status = error.code.status, status > 0 { return "HTTP \(status)" }
        return error.message
    }

    /// Most addresses that share the work: those of whoever names a few, and more the larger the file is.
    private func mostSources(size: Int64) -> Int {
        min(engine.splitPolicy.connections, max(4, Int(size / VolunteeredMirrors.leastSize)))
    }

    /// Why an answer is of another size than the publisher says; nil if it is not.
    func wrongSize(_ cause: FlightEnd.Cause) -> String? {
        guard case .refused(.changed(_, let answer)) = cause, let expected = engine.request.expectedSize else {
            return nil
        }
        if let size = answer?.resource.size {
            return size == expected ? nil : "it is \(size) bytes long, and \(expected) by what the publisher says"
        }
        // Before anything else is known, nothing else can have changed.
        guard resource == nil, inherited == nil else { return nil }
        return "it is not \(expected) bytes long, as the publisher says"
    }

    /// The error for a file of another size, when no other address is left.
    func otherSize(_ reason: String) -> DownloadError {
        DownloadError(.integrity, "\(engine.url.redacted): \(reason)", url: engine.url.redacted)
    }

    /// Lets a mirror in, leaves it out with a warning, or looks again later.
    mutating func judgeMirror(_ index: Int, _ verdict: MirrorVerdict) {
        switch verdict {
        case .agrees: sources.admit(index)
        case .differs(let reason):
            // A digest may tell later that what it differs from is wrong.
            if giveUp(index, because: reason) { untriedAlone.append(index) }
        case .undecided: sources.postpone(index)
        }
    }

    /// Compares a source that took the first one's place with what an earlier run left.
    ///
    /// - Parameter index: the source; given up if it can't be the same file.
    /// - Throws: `resourceChanged` if it is the last one, or what the disk said.
    mutating func compareHeir(_ index: Int) async throws(DownloadError) {
        comparedHeirs.insert(index)
        // A digest of the whole decides at the end.
        guard let inherited, let size = inherited.header.size, let store, !engine.request.hasDigests else {
            return
        }
        let finished = ByteRangeSet(inherited.finished.map(\.range))
        let candidates = SampleBlocks(within: finished, count: 64, seed: engine.seed).ranges
        let blocks = try await telling(candidates, in: store, atMost: 16)
        let sampler = Sampler(engine: engine, sender: sender)
        let slot = sourceSlot(index)
        let url = sources[index].url
        let reason: String
        do throws(DownloadError) {
            guard let found = try await sampler.refutation(of: blocks, size: size, at: url, on: slot) else { return }
            reason = found
        } catch {
            reason = error.message
        }
        if !giveUp(index, because: reason) {
            throw DownloadError(
                .resourceChanged,
                "\(url.redacted) is not what the partial holds (\(reason)): use --restart to discard it")
        }
    }

    /// Whether a request's end is the fault of its source while another goes on with the work.
    mutating func blames(_ index: Int, _ cause: FlightEnd.Cause) -> Bool {
        switch cause {
        case .complete, .wholeFile, .aborted: false
        case .refused(.changed(let reason, _)):
            // What a mirror changed into is of no interest; the primary's change is a restart.
            index != sources.primary && giveUp(index, because: reason)
        case .refused(.status(let status, let retryAfter)):
            isCovered(index, status: status, retryAfter: retryAfter)
        case .refused(let refusal):
            index != sources.primary && giveUp(index, because: refusal.summary)
        case .broke(let error):
            isCovered(index, isFinal: RetryPolicy().classify(error) == .fatal, because: error.summary)
        }
    }

    /// Whether another source does the work of one that refused, or that asks to be left alone for a while.
    private mutating func isCovered(_ index: Int, status: Int, retryAfter: Duration?) -> Bool {
        let isFinal = isFinal(RetryPolicy().classify(status: status))
        if !isFinal, let retryAfter, retryAfter <= RetryPolicy.longestWait,
            sources.hold(index, until: now + retryAfter, now: now)
        {
            return true
        }
        return isCovered(index, isFinal: isFinal, because: "HTTP \(status)")
    }

    private func isFinal(_ failure: FailureClass) -> Bool {
        switch failure {
        case .final, .fatal: true
        case .retryable, .refusedConnection, .cancelled: false
        }
    }

    /// Whether another source does the work of one that failed.
    mutating func isCovered(_ index: Int, isFinal: Bool, because reason: String) -> Bool {
        guard sources.hasAlternatives else { return false }
        let othersLive = workers.values.contains { $0.source == index && $0.receiver.sighting.isAnswered }
        let isCovered = sources.failed(index, isFinal: isFinal, othersLive: othersLive)
        if sources[index].standing == .dropped { announce(index, because: reason) }
        return isCovered
    }

    @discardableResult
    mutating func giveUp(_ index: Int, because reason: String) -> Bool {
        guard sources.drop(index) else { return false }
        announce(index, because: reason)
        return true
    }

    func announce(_ index: Int, because reason: String) {
        engine.sink.events.yield(.notice("\(sources[index].url.redacted) is left out: \(reason)"))
    }
}
