import HaulCore
import HaulSystem

/// One run of a download: the state that its single task owns.
///
/// Nobody else can see it: workers report through outcomes, receivers through atomics.
struct DownloadRun<Network: Transport> {
    /// What a child task brings back.
    enum Outcome: Sendable {
        /// The first answer's head is there, and its body waits.
        case head(slot: Int)
        /// A request ended.
        case ended(slot: Int, RequestSender<Network>.Sent)
        /// Time went by.
        case tick
        /// A little time went by, while the number of connections is being found.
        case look
        /// More has gone out.
        case advanced(OrderedOutput)
        /// Somebody gave a new address in place of one that had expired, or did not.
        case refreshed(Refresh)
        /// A mirror's samples were compared.
        case mirror(Int, MirrorVerdict)
        /// A metalink that the server names was read.
        case described([MetalinkFile])
        /// It could not be read, and why.
        case notDescribed(String)
    }

    var engine: DownloadEngine<Network>
    /// The first request, if it was sent before the run began; nil from when it counts among the others.
    var first: FirstRequest<Network>?
    /// Whether its end has not been told yet.
    var awaitsFirst = false
    var sender: RequestSender<Network>
    let startedAt: Duration
    var scheduler: TransferScheduler
    var workers: [Int: Worker] = [:]
    var paths: DownloadPaths?
    var store: DownloadStore?
    var part: PartFile? {
        didSet { spareWriters = [] }
    }
    /// Writers of requests that have ended.
    var spareWriters: [SegmentWriter] = []
    var check: ContentCheck?
    /// What passes the bytes on, if they go to a descriptor.
    var output: OrderedOutput? {
        didSet { spareWriters = [] }
    }
    let streamFile: StreamFile
    /// What had gone out when the transfer began anew.
    var passed = OrderedOutput.Committed()
    /// Whether every byte is here and the last ones are going out.
    var isDraining = false
    /// What an earlier run left and this one goes on from.
    var inherited: InheritedPartial?
    /// The resource as the answers describe it.
    var resource: RemoteResource?
    /// The addresses of the file, and what is known of each.
    var sources: SourceList
    /// Of what is on hand, bytes that an earlier run left.
    var resumedBytes: Int64 = 0
    /// Bytes of body that ended requests brought, useful or not.
    var receivedByEnded: Int64 = 0
    /// The address that gave the last refusal.
    var refusedAt: ResourceURL?
    var rate = RateEstimator()
    var lastCollect = Duration.zero
    /// Whether a look is due.
    private var awaitsLook = false
    var repairs = 0
    var digestRestarts = 0
    /// Mirrors that were left out for other bytes or together with others, and not compared with a digest by themselves.
    var untriedAlone: [Int] = []
    /// How often what was on hand was thrown away.
    var restarts = 0
    /// Most bytes that snapshots since the last restart showed: they never run backwards in between.
    var mostReceived: Int64 = 0
    /// Tags that earlier versions in this run had.
    var seenTags: Set<String> = []
    /// What the server says the whole file's digests are.
    var volunteeredDigests: [ContentDigest] = []
    /// Digests of the whole that are computed while it comes.
    var checkedAlgorithms: [ContentDigest.Algorithm] = []
    /// What is known about the digests of its pieces.
    var pieces: PieceDigests?
    /// How often bad pieces were fetched again.
    var pieceRounds = 0
    /// Whether a metalink that the server names is on its way: it may bring mirrors.
    var awaitsDescription = false
    /// Whether the file is too small for a journal, but could be gone on from.
    var isUnjournaled = false
    /// Ranges written so far, of earlier runs too: the CRC-32C of the whole is made of theirs, and a late journal.
    var written: [FinishedRange] = []
    /// Whether bytes are on hand of an address other than the one whose word counts.
    var usedMirrors = false
    /// Bytes on hand at which mirrors are compared with them.
    var comparesMirrorsAt: Int64 = 256 << 10
    /// Sources that took the place of the first, and whose bytes agree with an earlier run's.
    var comparedHeirs: Set<Int> = [0]
    /// Bytes that are on disk and recorded, those of requests under way too.
    var recorded = ByteRangeSet()
    /// Whether this server takes `If-Range` with the right validator for a wrong one.
    var ifRangeMeansNothing = false
    /// Whether this server's tags were seen to differ for the same bytes.
    var tagsMeanNothing = false

    /// Where asking for a new address stands; nil as long as the one that there is does.
    var refreshing: Refreshing?
    /// Bytes that were on hand when the address was last replaced; nil if it never was.
    var onHandAtRefresh: Int64?

    /// One worker's request under way.
    struct Worker: Sendable {
        let receiver: SegmentReceiver
        /// Index of the source that was asked.
        let source: Int
        /// The address that was asked, before any redirect.
        let asked: ResourceURL
        var isOpen: Bool
        /// Whether what its answer says about address and validators is known.
        var isNoted = false
    }

    /// Makes a run.
    ///
    /// - Parameters:
    ///   - engine: the download.
    ///   - first: its first request, if that was sent already.
    init(_ engine: DownloadEngine<Network>, goingOnWith first: FirstRequest<Network>? = nil) {
        self.engine = engine
        self.first = first
        sender = first?.sender ?? engine.sender()
        var timing = TransferScheduler.Timing()
        timing.stall = engine.options.stallTimeout
        scheduler = TransferScheduler(
            split: engine.splitPolicy, retry: RetryPolicy(limit: engine.options.retries), timing: timing,
            seed: engine.seed)
        sources = SourceList(engine.url, mirrors: engine.mirrors)
        startedAt = first?.startedAt ?? engine.time.now()
        streamFile = StreamFile(thread: engine.threads.disk)
    }

    /// Time on the engine's clock.
    var now: Duration { engine.time.now() }

    /// Does everything, from looking for an earlier run's partial to the finished file's name.
    mutating func execute() async -> Result<DownloadReceipt, DownloadError> {
        do throws(DownloadError) {
            // Who sent the first request saw that nothing is there.
            if first == nil, let receipt = try await openFreshly() { return .success(receipt) }
            return .success(try await transfer())
        } catch {
            return .failure(explained(error))
        }
    }

    /// Lets go of the files; what was received stays for the next run.
    mutating func close() async {
        try? await store?.perform { (store) throws(SystemError) in store.close() }
    }

    // MARK: - Transfer

    /// Fetches until the file is complete, checked and named.
    private mutating func transfer() async throws(DownloadError) -> DownloadReceipt {
        let box = first?.box ?? OutcomeBox<Outcome>()
        let result = await withTaskCancellationHandler {
            await withDiscardingTaskGroup { tasks in
                var group = Errands(in: tasks, box)
                let result = await loop(&group)
                engine.ticker?.forget(box)
                output?.stop()
                group.cancelAll()
                if awaitsFirst { engine.network.cancel(transportSlot(0)) }
                // Workers that still run end now; what they wrote is recorded before the group is left.
                while let outcome = await group.nextOfTask() { await settleAfterEnd(outcome, in: &group) }
                if case .failure(let error) = result { await journalLate(error) }
                return result
            }
        } onCancel: {
            // Whatever it waits for, it looks up now.
            box.send(.tick)
        }
        return try result.get()
    }

    private mutating func loop(_ group: inout Errands<Outcome>) async -> Result<DownloadReceipt, DownloadError> {
        do throws(DownloadError) {
            addTick(to: &group)
            if let receipt = try await perform(begin(), in: &group) { return .success(receipt) }
            while true {
                let outcome = await group.next()
                if Task.isCancelled {
                    await settleAfterEnd(outcome, in: &group)
                    return .failure(.cancelledKeeping)
                }
                if let receipt = try await handle(outcome, in: &group) { return .success(receipt) }
                addLook(to: &group)
            }
        } catch {
            return .failure(error)
        }
    }

    private mutating func handle(
        _ outcome: Outcome, in group: inout Errands<Outcome>
    ) async throws(DownloadError) -> DownloadReceipt? {
        switch outcome {
        case .tick:
            addTick(to: &group)
            // A small file that takes its time gets its place after all.
            for slot in workers.keys {
                if let receipt = try await headArrived(on: slot, in: &group) { return receipt }
            }
            if now - lastCollect >= .milliseconds(250) {
                try await collect(workers.values.compactMap(\.receiver.writer))
            }
            observe()
            report()
            questionMirrors(in: &group)
            if let receipt = try await passOn(in: &group) { return receipt }
            return try await perform(scheduler.tick(now: now), in: &group)
        case .look:
            awaitsLook = false
            observe()
            return try await perform(scheduler.look(now: now), in: &group)
        case .advanced(let output):
            return try await advanced(output, in: &group)
        case .refreshed(let refresh):
            return try await refreshed(refresh, in: &group)
        case .mirror(let index, let verdict):
            judgeMirror(index, verdict)
            return nil
        case .described(let files):
            described(by: files)
            return nil
        case .notDescribed(let reason):
            if !Task.isCancelled { engine.sink.events.yield(.notice(reason)) }
            return nil
        case .head(let slot):
            return try await headArrived(on: slot, in: &group)
        case .ended(let slot, let sent):
            if slot == 0 { awaitsFirst = false }
            // The end may overtake the head that belongs to it.
            if let receipt = try await headArrived(on: slot, in: &group) { return receipt }
            return try await requestEnded(slot, sent, in: &group)
        }
    }

    private func addTick(to group: inout Errands<Outcome>) {
        guard let ticker = engine.ticker else {
            let time = engine.time
            return group.addTask {
                await time.sleep(Ticker.interval)
                return .tick
            }
        }
        let box = group.box
        ticker.tell(box) { box.send(.tick) }
    }

    /// Looks sooner than at the next tick, while the number of connections is being found: a file may be here by then.
    private mutating func addLook(to group: inout Errands<Outcome>) {
        guard !awaitsLook, let wait = scheduler.timeToLook else { return }
        awaitsLook = true
        let time = engine.time
        group.addTask {
            await time.sleep(wait)
            return .look
        }
    }

    /// Tells the scheduler how far every request is: at the last moment, since cuts are made from it.
    mutating func observe() {
        let now = now
        if let output, output.committed.length > 0 { scheduler.isCommitted = true }
        for (slot, worker) in workers {
            // Once, and at once: the next request goes where this one was led.
            if worker.isOpen, !worker.isNoted, worker.receiver.sighting.isAnswered {
                noteAnswer(of: worker)
                workers[slot]?.isNoted = true
            }
            scheduler.observe(worker.receiver.sighting, on: slot, now: now)
        }
        scheduler.judgeGrowth(now: now)
        shareConnections(scheduler.usefulConnections)
    }

    /// Takes part in the budget of all downloads with as many connections as could be of use.
    mutating func shareConnections(_ useful: Int) {
        guard let lease = engine.lease else { return }
        scheduler.admitted = lease.adjust(wanted: useful, inUse: workers.count)
    }

    /// A worker that was cut off when the run ended: its bytes are written and recorded.
    private mutating func settleAfterEnd(_ outcome: Outcome, in group: inout Errands<Outcome>) async {
        // A mirror that turned out to be none is told, though the others brought everything meanwhile.
        if case .mirror(let index, .differs(let reason)) = outcome { giveUp(index, because: reason) }
        guard case .ended(let slot, _) = outcome else { return }
        if let writer = workers[slot]?.receiver.writer, writer.isDetached, writer.position > 0 {
            do throws(DownloadError) { _ = try await headArrived(on: slot, in: &group) } catch {
                // Without a place for it, it is fetched again.
            }
        }
        guard let worker = workers.removeValue(forKey: slot),
            let writer = worker.receiver.writer
        else { return }
        receivedByEnded += worker.receiver.bytesReceived
        do throws(DownloadError) { try await collect([writer]) } catch {
            // The reason for the end is already known; the next run fetches what could not be recorded.
        }
    }

    /// A file too small for a journal gets one when it ends early: what was received is gone on from.
    private func journalLate(_ error: DownloadError) async {
        guard isUnjournaled, !written.isEmpty, let resource, [.cancelled, .unreachable].contains(error.code) else {
            return
        }
        do throws(SystemError) {
            try await store?.startJournal(journalHeader(resource), keeping: written)
        } catch {
            // The next run fetches it again.
        }
    }

    /// Writes what the connections have gathered, and records it.
    mutating func collect(_ writers: [SegmentWriter]) async throws(DownloadError) {
        lastCollect = now
        if output != nil {
            do throws(SystemError) { try await streamFile.flush(writers) } catch { throw DownloadError(error) }
            return
        }
        guard let store, !writers.isEmpty else { return }
        do throws(SystemError) {
            let ranges = try await store.perform { (store) throws(SystemError) in try store.collect(from: writers) }
            guard !ranges.isEmpty else { return }
            check?.add(ranges)
            for finished in ranges { recorded.insert(finished.range) }
            if isUnjournaled || expectedDigests.contains(where: { $0.algorithm == .crc32c }) { written += ranges }
        } catch {
            throw DownloadError(error)
        }
    }
}
