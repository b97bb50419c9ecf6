import HaulCore
import HaulSystem
import Synchronization

/// The life of a download that its first answer brings whole, as it is with nearly all small files: one request, one
/// write, one look at what is on disk, one name.
///
/// The task of the download drives it, with no group or timer of its own. Whatever is not ordinary is for a
/// `DownloadRun`, which takes over the request as it stands, under way or ended, and asks nothing twice: an answer that
/// is not the whole of a small file, a refusal, an error, a name or partial that is there already, or an answer that
/// takes its time.
final class WholeFetch<Network: Transport>: Sendable {
    private typealias Run = DownloadRun<Network>
    private typealias Ending = Result<DownloadReceipt, DownloadError>

    /// What the calls on files came to.
    private enum Filing: Sendable {
        /// The file has its name; with what was proved of it.
        case named([String])
        /// It is written and proved, and waits for the disk with others.
        case waits(PartFile, for: SyncGroup, [String])
        /// A run has to see to it; nothing has been left on disk.
        case handedOver
        /// That is the end: what it left is not known, or what came is lost.
        case failed(SystemError)
    }

    private enum Stage {
        case grounded
        /// The request is under way; with the number of beats of the ticker since then.
        case flying(SegmentReceiver, beats: Int)
        /// A run goes on with the request.
        case followed(OutcomeBox<Run.Outcome>, Task<Ending, Never>)
    }

    private let engine: DownloadEngine<Network>
    private let sender: RequestSender<Network>
    private let startedAt: Duration
    /// Where the files are, unless the server gives another name.
    private let likelyPaths: DownloadPaths
    /// Whether it is known that there is neither partial nor journal at these.
    private let isClear: Bool
    private let stage = Mutex(Stage.grounded)

    /// Begins, unless it is a run's from the beginning: for what the request asks, or since there is a file or a partial
    /// already.
    ///
    /// - Parameter engine: the download.
    init?(_ engine: DownloadEngine<Network>) {
        guard engine.request.mayComeWhole, engine.mirrors.isEmpty else { return nil }
        let path =
            switch engine.request.destination {
            case .file(let path): engine.name?.path ?? path
            case .directory(let directory): engine.name?.path ?? DownloadPaths.candidate(in: directory, for: engine.url)
            case .descriptor: ""
            }
        let paths = DownloadPaths.located(final: path, temporaryDirectory: engine.options.temporaryDirectory)
        startedAt = engine.time.now()
        isClear = paths.areUsual && engine.name?.isClear(paths, now: startedAt, on: engine.threads) ?? false
        guard !FileFacts.exists(path) else { return nil }
        if !isClear {
            guard !FileFacts.exists(paths.part), (try? FileFacts.checkPlace(of: path)) != nil else { return nil }
        }
        likelyPaths = paths
        self.engine = engine
        sender = engine.sender()
        if case .file = engine.request.destination { engine.sink.events.yield(.located(path: path)) }
    }

    /// Fetches the file, by itself or with a run that takes over.
    func run() async -> Result<DownloadReceipt, DownloadError> {
        let question = question
        // The stage holds the receiver, and the signal this: landing breaks the circle.
        let receiver = SegmentReceiver(
            wanted: asked, expectation: question.expectation, overlap: [], writer: nil,
            probing: HeadSignal { self.handOver(withHead: true) }, gatheringSmall: true, wallClock: engine.wallClock)
        stage.withLock { $0 = .flying(receiver, beats: 0) }
        let watch = watch()
        let sent = await sender.send(question, on: Slot(engine.firstSlot), to: receiver)
        let followed = land()
        // Behind the landing: the watch that is woken by this finds nothing to hand over.
        watch?.cancel()
        engine.ticker?.forget(self)
        if let (box, run) = followed {
            // Before it hears of the end: it would ask again for what the cancelled request did not bring.
            if Task.isCancelled { run.cancel() }
            box.send(.ended(slot: 0, sent), endsErrand: true)
            return await withTaskCancellationHandler {
                await run.value
            } onCancel: {
                run.cancel()
            }
        }
        if let ending = await settle(sent, receiver) { return ending }
        await engine.lease?.comeBack(engine.leaseTicket)
        let box = OutcomeBox<Run.Outcome>()
        box.send(.ended(slot: 0, sent), endsErrand: true)
        return await engine.runAside(request(receiver, box))
    }

    // MARK: - The request

    private var asked: ByteRange { ByteRange(0, engine.splitPolicy.probeLength) }

    private var question: RequestSender<Network>.Question {
        RequestSender<Network>.Question(
            range: asked,
            expectation: AnswerExpectation(
                requested: asked, size: engine.request.expectedSize, comparesValidators: !engine.request.hasDigests),
            validatorOrigin: nil, url: engine.url, needsFreshConnection: false, usesIfRange: false)
    }

    /// Beats of the ticker after which a run takes over, with its clocks and snapshots: about half a second.
    private static var patience: Int { 5 }

    /// Sees to it that a run takes over when the answer takes its time.
    ///
    /// - Returns: what has to be cancelled at the end.
    private func watch() -> Task<Void, Never>? {
        if engine.ticker != nil {
            awaitBeat()
            return nil
        }
        let time = engine.time
        return Task {
            await time.sleep(Ticker.interval * Self.patience)
            self.handOver(withHead: false)
        }
    }

    private func awaitBeat() { engine.ticker?.tell(self) { self.beat() } }

    private func beat() {
        let waits = stage.withLock { stage -> Bool? in
            guard case .flying(let receiver, let beats) = stage else { return nil }
            stage = .flying(receiver, beats: beats + 1)
            return beats + 1 < Self.patience
        }
        guard let waits else { return }
        if waits { awaitBeat() } else { handOver(withHead: false) }
    }

    /// The request has ended.
    ///
    /// - Returns: the run that went on with it meanwhile, and where that waits for the end.
    private func land() -> (OutcomeBox<Run.Outcome>, Task<Ending, Never>)? {
        stage.withLock { stage in
            defer { stage = .grounded }
            guard case .followed(let box, let run) = stage else { return nil }
            return (box, run)
        }
    }

    // MARK: - Handing over

    /// Lets a run go on with the request that is under way.
    ///
    /// - Parameter withHead: whether the answer's head is there, and its body waits.
    private func handOver(withHead: Bool) {
        let box = stage.withLock { stage -> OutcomeBox<Run.Outcome>? in
            switch stage {
            case .grounded: return nil
            case .followed(let box, _): return box
            case .flying(let receiver, _):
                let box = OutcomeBox<Run.Outcome>()
                let first = request(receiver, box)
                let run = Task(executorPreference: engine.threads.tasks) { await self.engine.runOn(first) }
                stage = .followed(box, run)
                return box
            }
        }
        if withHead { box?.send(.head(slot: 0)) }
    }

    private func request(_ receiver: SegmentReceiver, _ box: OutcomeBox<Run.Outcome>) -> FirstRequest<Network> {
        FirstRequest(sender: sender, receiver: receiver, box: box, startedAt: startedAt)
    }

    // MARK: - The file

    /// Gives the file its name, if the request brought it and nothing stands in its way.
    ///
    /// - Returns: nil if a run has to see to it; then nothing has been left on disk.
    private func settle(_ sent: RequestSender<Network>.Sent, _ receiver: SegmentReceiver) async -> Ending? {
        guard !Task.isCancelled, case .success = sent.outcome, sent.redirectRefused == nil, sender.requests.value == 1,
            let (answer, writer) = receiver.gathered, let size = answer.resource.size, size > 0,
            size == engine.request.expectedSize ?? size, answer.resource.mediaType != "text/html"
        else { return nil }
        let path = path(for: answer.resource)
        let paths =
            path == likelyPaths.final
            ? likelyPaths : DownloadPaths.located(final: path, temporaryDirectory: engine.options.temporaryDirectory)
        // The last byte is here: the next download may use the connection while the calls on files are made.
        engine.lease?.stepAside(holding: size)
        var filing = await onDisk { self.file(writer, answer, paths) }
        if case .waits(let part, let group, let verified) = filing {
            filing = await synced(by: group, part, of: writer, as: path, answer.resource, verified)
        }
        switch filing {
        case .named(let verified):
            tell(path, size, answer)
            return .success(receipt(path, size, receiver, verified))
        case .failed(let error): return .failure(DownloadError(error))
        case .waits, .handedOver: return nil
        }
    }

    /// Makes calls on files on the disk's thread where this one is the network's, which must not wait for memory and
    /// directories.
    private func onDisk(_ calls: @escaping @Sendable () -> Filing) async -> Filing {
        guard engine.threads.driver != nil else { return calls() }
        return await Task(executorPreference: engine.threads.writes, operation: calls).value
    }

    private func path(for resource: RemoteResource) -> String {
        switch engine.request.destination {
        case .file(let path): return engine.name?.path ?? path
        case .descriptor: return ""
        case .directory(let directory):
            // Else it is the one that was looked at in the beginning.
            guard let disposition = resource.contentDisposition else { return likelyPaths.final }
            let name = SuggestedName.choose(contentDisposition: disposition, path: engine.url.path)
            let wanted = DownloadPaths.joined(directory, name)
            return engine.name?.change(to: wanted) ?? wanted
        }
    }

    /// Writes the file, compares what is on disk with what came and with what publishers say, and gives it its name
    /// unless it has to wait for the disk with others.
    private func file(_ writer: SegmentWriter, _ answer: AcceptedAnswer, _ paths: DownloadPaths) -> Filing {
        // Of an earlier run, or of another that began meanwhile; and the name may be another than was looked at.
        if !isClear || paths.final != likelyPaths.final {
            guard !FileFacts.exists(paths.part), !FileFacts.exists(paths.journal) else { return .handedOver }
        }
        guard let part = partial(paths) else { return .handedOver }
        do throws(SystemError) {
            let finished = try writer.copy(to: part)
            if let verified = try proof(of: part, finished, answer) {
                if engine.options.syncsBeforePublishing, let group = engine.syncs {
                    return .waits(part, for: group, verified)
                }
                return publish(part, of: writer, as: paths.final, answer.resource, verified)
            }
        } catch {
            // A run meets it again, and says what to do.
        }
        part.unlinkIfNamed()
        return .handedOver
    }

    /// A file for the bytes: one that nobody sees before it has its name, where the file system has such files, since
    /// that takes half the calls.
    private func partial(_ paths: DownloadPaths) -> PartFile? {
        if engine.options.temporaryDirectory == nil, engine.name?.makesUnnamed ?? true {
            do throws(SystemError) {
                return try PartFile.toBeNamed(paths.final, mode: engine.name?.fileMode ?? 0o666)
            } catch {
                if error.isUnsupported { engine.name?.makesUnnamed = false }
            }
        }
        return try? PartFile.createNew(paths.part)
    }

    /// What is proved of a partial; nil if something speaks against it.
    private func proof(
        of part: PartFile, _ finished: FinishedRange, _ answer: AcceptedAnswer
    ) throws(SystemError) -> [String]? {
        let expected = ExpectedDigests(engine.request, volunteered: answer.resource.digests)
        guard engine.options.verifiesContent || !expected.isEmpty else { return [] }
        let algorithms = expected.algorithms.filter { $0 != .crc32c }
        guard let sums = try part.readBack(finished, computing: algorithms) else { return nil }
        let words = ["crc32c of every range"]
        if expected.isEmpty { return words }
        let digests = sums + [ContentDigest(crc32c: finished.checksum)]
        let comparison = expected.compare(digests)
        guard comparison.contradiction == nil, comparison.overruled.isEmpty else { return nil }
        return expected.words(for: comparison) + words
    }

    private func publish(
        _ part: PartFile, of writer: SegmentWriter, as path: String, _ resource: RemoteResource, _ verified: [String]
    ) -> Filing {
        do throws(SystemError) {
            try part.publish(
                as: path, modificationTime: resource.lastModified, replacing: false,
                sync: engine.options.syncsBeforePublishing, mode: engine.name?.fileMode)
            return .named(verified)
        } catch {
            return unnamed(part, of: writer, error)
        }
    }

    private func synced(
        by group: SyncGroup, _ part: PartFile, of writer: SegmentWriter, as path: String, _ resource: RemoteResource,
        _ verified: [String]
    ) async -> Filing {
        // Many may wait for the disk.
        writer.forget()
        engine.lease?.stepAside()
        // Who hears of the end may begin again at once, and a group lets go of its files a moment later.
        defer { part.unlock() }
        do throws(SystemError) {
            try await group.publish(
                part, as: path, modificationTime: resource.lastModified, replacing: false, mode: engine.name?.fileMode)
            return .named(verified)
        } catch {
            return unnamed(part, of: writer, error)
        }
    }

    /// What it comes to that a file did not get its name.
    private func unnamed(_ part: PartFile, of writer: SegmentWriter, _ error: SystemError) -> Filing {
        // What such a call leaves is not known: it is not tried again.
        if error.call == .fsync || error.call == .syncfs { return .failed(error) }
        // Without /proc, or where rules forbid it: the next would be written in vain, too.
        if part.isToBeNamed, !error.isExists { engine.name?.makesUnnamed = false }
        defer { part.unlinkIfNamed() }
        do throws(SystemError) {
            engine.lease?.holds(writer.position)
            // A run finds out what is to be done, and needs the bytes for it.
            try writer.recall(from: part)
            return .handedOver
        } catch {
            return .failed(error)
        }
    }

    // MARK: - Telling

    private func tell(_ path: String, _ size: Int64, _ answer: AcceptedAnswer) {
        engine.sink.events.yield(.located(path: path))
        engine.sink.events.yield(.started(path: path, total: size, resumed: 0))
        let plan = SegmentPlan(size: size, missing: size, acceptsRanges: answer.isPartial, policy: engine.splitPolicy)
        engine.sink.events.yield(.planned(plan.description))
        var progress = DownloadProgress()
        progress.received = size
        progress.total = size
        progress.finishedRanges = [0..<size]
        progress.phase = .finished
        engine.sink.progress.yield(progress)
    }

    private func receipt(
        _ path: String, _ size: Int64, _ receiver: SegmentReceiver, _ verified: [String]
    ) -> DownloadReceipt {
        var receipt = DownloadReceipt(path: path, bytes: size)
        receipt.received = receiver.bytesReceived
        receipt.duration = engine.time.now() - startedAt
        receipt.connections = 1
        receipt.requests = 1
        receipt.verified = verified
        return receipt
    }
}

extension DownloadRequest {
    /// Whether the first answer may be all there is to it: not where a part is wanted, what is on hand is gone on from,
    /// or pieces have to be looked at.
    var mayComeWhole: Bool {
        if case .descriptor = destination { return false }
        return range == nil && pieces == nil && prefix == nil && resumption == nil
    }
}
