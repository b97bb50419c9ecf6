import HaulCore
import HaulSystem

extension DownloadRun {
    /// Starts the scheduler with the first request: the file's beginning, or what an earlier run left missing.
    mutating func begin() -> [TransferScheduler.Action] {
        // One that was sent before the run began has waited since.
        scheduler.start(asking: firstRange, now: first?.startedAt ?? now)
    }

    /// What the first request asks for.
    private var firstRange: ByteRange {
        let length = min(engine.splitPolicy.probeLength, slice.longest)
        if passed.length > 0 { return ByteRange(passed.length, .max) }
        guard let inherited, let size = inherited.header.size else { return ByteRange(0, length) }
        let finished = ByteRangeSet(inherited.finished.map(\.range))
        guard let gap = finished.gaps(in: ByteRange(0, size)).first else {
            // Nothing is missing: the last bytes are asked for once more, to see that the resource is the same.
            return ByteRange(max(0, size - Self.overlapLength), size)
        }
        return ByteRange(gap.lowerBound, min(gap.upperBound, gap.lowerBound.saturatingAdd(length)))
    }

    /// Bytes before a resumed range that are fetched again and compared.
    static var overlapLength: Int64 { 64 << 10 }

    /// Carries out what the scheduler decided.
    ///
    /// - Returns: the receipt when the download is finished.
    mutating func perform(
        _ actions: [TransferScheduler.Action], in group: inout Errands<Outcome>
    ) async throws(DownloadError) -> DownloadReceipt? {
        for action in actions {
            switch action {
            case .fetch(let order): try await fetch(order, in: &group)
            case .shorten(let slot, let offset): workers[slot]?.receiver.shorten(to: offset)
            case .abort(let slot): engine.network.cancel(transportSlot(slot))
            case .retrying(let reason, let wait): engine.sink.events.yield(.retrying(reason: reason, wait: wait))
            case .capped(let connections, let reason):
                let count = connections == 1 ? "1 connection" : "\(connections) connections"
                engine.sink.events.yield(.planned("\(count): the server refuses more (\(reason))"))
            case .startOver(let reason):
                try await startOver(reason)
                return try await perform(begin(), in: &group)
            case .verify where isStream:
                if slice.lowerBound > 0, scheduler.size == 0 { throw beyondEnd(size: nil) }
                isDraining = true
                return try await passOn(in: &group)
            case .verify:
                if slice.lowerBound > 0, scheduler.size == 0 {
                    try? await store?.discard()
                    throw beyondEnd(size: nil)
                }
                switch try await verify() {
                case .published(let receipt): return receipt
                case .repair(let ranges):
                    return try await perform(scheduler.repair(ranges, now: now), in: &group)
                case .changed(let reason):
                    return try await perform(scheduler.change(reason, now: now), in: &group)
                case .startOver(let reason):
                    return try await perform(scheduler.restart(reason: reason, now: now), in: &group)
                }
            case .fail(let failure): throw await failed(failure)
            }
        }
        return nil
    }

    /// The slot of a worker.
    func transportSlot(_ slot: Int) -> Slot { Slot(engine.firstSlot + slot) }

    /// The slot of a source's samples, behind those of the workers.
    func sourceSlot(_ index: Int) -> Slot { Slot(engine.firstSlot + engine.splitPolicy.connections + index) }

    // MARK: - Requests

    private mutating func fetch(_ order: FetchOrder, in group: inout Errands<Outcome>) async throws(DownloadError) {
        if askForAddress(for: order, in: &group) { return }
        let overlap = try await overlap(before: order)
        if order.isProbe {
            while !comparedHeirs.contains(sources.primary), inherited != nil { try await compareHeir(sources.primary) }
        }
        let index = sources.take(asksPrimary: order.isProbe || order.resolvesAnew, now: now)
        let source = sources[index]
        if let first = first.take() { return takeOver(first, source: index, in: &group) }
        let asked =
            order.asksForRange
            ? ByteRange(order.range.lowerBound - Int64(overlap.count), order.range.upperBound) : nil
        let expectation = AnswerExpectation(
            requested: asked, size: resource?.size ?? inherited?.header.size ?? request.expectedSize,
            validators: source.validators,
            comparesValidators: !request.hasDigests && !tagsMeanNothing,
            mediaType: resource?.mediaType ?? inherited?.header.mediaType)
        let (slotOfWorker, box) = (order.slot, group.box)
        let head = order.isProbe ? HeadSignal { box.send(.head(slot: slotOfWorker)) } : nil
        let receiver = SegmentReceiver(
            wanted: order.range, of: slice, expectation: expectation, overlap: overlap,
            passed: passed.length > 0 ? passed : nil, writer: order.isProbe ? nil : writer(at: order.range.lowerBound),
            probing: head, gatheringSmall: order.isProbe && gathersSmall, wallClock: engine.wallClock)
        _ = receiver.moveHorizon(to: scheduler.horizon)
        let url = order.resolvesAnew ? source.url : source.finalURL
        workers[order.slot] = Worker(receiver: receiver, source: index, asked: url, isOpen: !order.isProbe)
        let question = RequestSender<Network>.Question(
            range: asked, expectation: expectation, validatorOrigin: source.validatorOrigin,
            url: url, needsFreshConnection: order.needsFreshConnection,
            usesIfRange: !ifRangeMeansNothing)
        let slot = transportSlot(order.slot)
        let sender = sender
        group.addTask {
            let sent = await sender.send(question, on: slot, to: receiver)
            return .ended(slot: slotOfWorker, sent)
        }
    }

    /// Goes on with the first request, which was sent before the run began.
    private mutating func takeOver(
        _ first: FirstRequest<Network>, source index: Int, in group: inout Errands<Outcome>
    ) {
        workers[0] = Worker(receiver: first.receiver, source: index, asked: sources[index].url, isOpen: false)
        awaitsFirst = true
        group.expectErrand()
    }

    private var request: DownloadRequest { engine.request }

    /// Whether a small file may come in before its place is looked at: not where that decides what is wanted of it.
    private var gathersSmall: Bool { inherited == nil && !isStream && passed.length == 0 && slice.isWhole }

    /// The bytes on hand before the first resumed range, which its answer must repeat.
    private func overlap(before order: FetchOrder) async throws(DownloadError) -> [UInt8] {
        guard order.isProbe, order.asksForRange, let inherited, let store, order.range.lowerBound > 0 else { return [] }
        let finished = ByteRangeSet(inherited.finished.map(\.range))
        let window = ByteRange(max(0, order.range.lowerBound - Self.overlapLength), order.range.lowerBound)
        let start = finished.gaps(in: window).last?.upperBound ?? window.lowerBound
        do throws(SystemError) {
            return try await store.read(ByteRange(start, window.upperBound))
        } catch {
            throw DownloadError(error)
        }
    }

    /// Takes note of what a good answer said about address and validators.
    ///
    /// One that comes late, from an address that has expired meanwhile, has no say any more.
    mutating func noteAnswer(of worker: Worker) {
        let (receiver, index) = (worker.receiver, worker.source)
        guard receiver.refusal == nil, let answer = receiver.answer, let url = receiver.url,
            [sources[index].url, sources[index].finalURL].contains(worker.asked)
        else { return }
        sources[index].finalURL = url
        if sources[index].validatorOrigin != url.origin || sources[index].validators == nil {
            sources[index].validatorOrigin = url.origin
            sources[index].validators = answer.resource.validators
        }
    }

    private func failed(_ failure: TransferFailure) async -> DownloadError {
        // A permanent no leaves nothing behind, unless an earlier run had paid for something.
        if case .refused = failure, scheduler.finished.isEmpty, inherited == nil { try? await store?.discard() }
        return DownloadError(failure, url: sources[sources.primary].url, at: refusedAt)
    }

    // MARK: - Snapshots

    /// Publishes a snapshot.
    mutating func report(_ phase: DownloadProgress.Phase? = nil) {
        var progress = DownloadProgress()
        let flights = scheduler.flights.values
        var onHand = scheduler.finished
        for flight in flights where flight.isAnswered {
            onHand.insert(ByteRange(flight.range.lowerBound, flight.position))
            if flight.position < flight.range.upperBound {
                progress.connectionRanges.append(flight.position..<flight.range.upperBound)
            }
        }
        mostReceived = max(mostReceived, onHand.total)
        progress.received = mostReceived
        progress.restarts = restarts
        progress.resumed = resumedBytes
        progress.total = scheduler.size
        progress.connections = workers.count
        progress.finishedRanges = onHand.ranges.map { $0.lowerBound..<$0.upperBound }
        progress.verifiedRanges = check?.verifiedRanges.map { $0.lowerBound..<$0.upperBound } ?? []
        let moment = now
        rate.record(max(0, progress.received - resumedBytes), at: moment)
        progress.bytesPerSecond = rate.rate(at: moment) ?? 0
        // Not compared, which would copy it.
        let isProbing = if case .none = resource { true } else { false }
        progress.phase = phase ?? (isProbing ? .probing : .downloading)
        progress.timeLeft = scheduler.size.flatMap { rate.timeLeft($0 - progress.received, at: moment) }
        engine.sink.progress.yield(progress)
    }
}
