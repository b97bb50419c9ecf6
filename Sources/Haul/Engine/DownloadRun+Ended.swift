import HaulCore
import HaulSystem

/// What the end of a request means.
extension DownloadRun {
    /// A request ended: takes in what it brought, and has the scheduler decide what comes next.
    ///
    /// - Returns: a receipt if that was the end of the download.
    mutating func requestEnded(
        _ slot: Int, _ sent: RequestSender<Network>.Sent, in group: inout Errands<Outcome>
    ) async throws(DownloadError) -> DownloadReceipt? {
        guard let worker = workers.removeValue(forKey: slot) else { return nil }
        let receiver = worker.receiver
        try await takeIn(worker, sent)
        var end = FlightEnd(
            position: receiver.sighting.position, cause: try causeInSlice(of: sent, receiver),
            wasRedirected: sent.url != sources[worker.source].url)
        if let reason = wrongSize(end.cause) {
            if !giveUp(worker.source, because: reason) { throw otherSize(reason) }
            end.cause = .aborted
        }
        if case .refused(let refusal) = end.cause {
            refusedAt = sent.url
            if isFlapping(refusal) {
                end.cause = .aborted
            } else if let cause = try await reconsidered(refusal, of: worker) {
                ifRangeMeansNothing = true
                end.cause = cause
            }
        }
        if hasExpired(sent, end.cause, source: worker.source) {
            // Who resolves it asks for another first.
            end.wasRedirected = true
        } else if mayHaveExpired(end) {
            // Whoever was refused at an older address has nothing to say about the present one.
            if sent.url == sources[worker.source].finalURL {
                sources[worker.source].finalURL = sources[worker.source].url
            }
        } else if blames(worker.source, end.cause) {
            end.cause = .aborted
        }
        observe()
        return try await perform(scheduler.ended(slot, end, now: now), in: &group)
    }

    /// Records what a request brought, and what its answer told about whom it was sent to.
    private mutating func takeIn(
        _ worker: Worker, _ sent: RequestSender<Network>.Sent
    ) async throws(DownloadError) {
        let receiver = worker.receiver
        receivedByEnded += receiver.bytesReceived
        if let writer = receiver.writer {
            try await collect([writer])
            // Its memory is used again: large pieces of different sizes, taken and given back all the time, tear the heap.
            if !writer.isDetached { spareWriters.append(writer) }
        }
        if let failure = receiver.failure { throw DownloadError(failure, range: receiver.wanted) }
        if let reason = sent.redirectRefused, !isCovered(worker.source, isFinal: true, because: reason) {
            throw refusedRedirect(reason)
        }
        let (first, position) = (receiver.wanted.lowerBound, receiver.sighting.position)
        sources.returned(worker.source, progressed: position > first)
        if position > first {
            sources[worker.source].brought.insert(ByteRange(first, position))
            if worker.source != sources.primary || isBesideOthers(worker.source) { usedMirrors = true }
        }
        if !worker.isNoted { noteAnswer(of: worker) }
    }

    /// Whether bytes of other addresses than this source's are on hand: it may have taken the place of one that died.
    private func isBesideOthers(_ index: Int) -> Bool {
        if inherited != nil, index != 0 { return true }
        return sources.sources.indices.contains { $0 != index && !sources[$0].brought.isEmpty }
    }

    /// Why a request ended, sizes being those of the wanted part.
    private func causeInSlice(
        of sent: RequestSender<Network>.Sent, _ receiver: SegmentReceiver
    ) throws(DownloadError) -> FlightEnd.Cause {
        let cause = cause(of: sent, receiver)
        guard engine.request.range != nil, case .refused(.unsatisfiable(let size?)) = cause else { return cause }
        // Some say 0 for any range: a second look costs little.
        if resource == nil, size > 0, size <= slice.lowerBound { throw beyondEnd(size: size) }
        return .refused(.unsatisfiable(size: slice.length(ofWhole: size)))
    }

    /// Whether the address that a redirect led to may have been refused for its age.
    private func mayHaveExpired(_ end: FlightEnd) -> Bool {
        guard end.wasRedirected, case .refused(.status(let status, _)) = end.cause else { return false }
        return RetryPolicy().mayMeanExpiredAddress(status: status)
    }

    private func cause(of sent: RequestSender<Network>.Sent, _ receiver: SegmentReceiver) -> FlightEnd.Cause {
        if let refusal = receiver.refusal { return cause(of: sent, refusal) }
        switch sent.outcome {
        case .failure(.cancelled): return .aborted
        case .failure(let error): return .broke(error)
        case .success:
            guard let answer = receiver.answer else {
                return .broke(.brokenBeforeHead(detail: "the connection closed without an answer"))
            }
            let position = receiver.sighting.position
            if scheduler.size == nil, answer.end == nil || answer.end == position, !answer.isPartial {
                return .wholeFile
            }
            if let end = answer.end, position < min(end, receiver.currentLimit) {
                return .broke(.brokenInBody(detail: "\(end - position) bytes are missing"))
            }
            return .complete
        }
    }

    /// A change is believed on a fresh connection only, and of a request that nobody broke off: what came may be left over
    /// from an earlier answer.
    private func cause(of sent: RequestSender<Network>.Sent, _ refusal: AnswerRefusal) -> FlightEnd.Cause {
        guard case .changed(let reason, _) = refusal else { return .refused(refusal) }
        switch sent.outcome {
        case .failure(.cancelled): return .aborted
        case .failure(let error): return .broke(error)
        case .success(let summary):
            guard summary.reusedConnection else { return .refused(refusal) }
            return .broke(.brokenInBody(detail: "an answer on a used connection does not fit: \(reason)"))
        }
    }

    private func refusedRedirect(_ reason: String) -> DownloadError {
        DownloadError(.refused(status: 302), "\(engine.url.redacted): \(reason)", url: engine.url.redacted)
    }
}
