import HaulCore
import HaulSystem

/// Fetches small ranges into memory: samples that are compared with what is on hand.
struct Sampler<Network: Transport>: Sendable {
    /// A range that came.
    typealias Block = (answer: AcceptedAnswer, bytes: [UInt8])

    let engine: DownloadEngine<Network>
    let sender: RequestSender<Network>

    /// Fetches a range, with the usual retries.
    ///
    /// - Parameters:
    ///   - range: what is wanted.
    ///   - size: size of the file, nil if unknown; another one is a failure.
    ///   - mediaType: media type of the file, nil if unknown; a page of HTML in its place is a failure.
    ///   - url: whom to ask.
    ///   - slot: a worker's place that nothing else uses meanwhile.
    ///   - retries: how often it is asked again; nil is as often as the options say.
    /// - Returns: what the answer told, and the bytes.
    /// - Throws: why there are none; `refused(status: 416)` if the file ends before the range.
    func block(
        _ range: ByteRange, size: Int64?, mediaType: String? = nil, at url: ResourceURL, on slot: Slot,
        retries: Int? = nil
    ) async throws(DownloadError) -> Block {
        let (answer, receiver) = try await received(
            range, asking: range, size: size, mediaType: mediaType, at: url, on: slot, retries: retries)
        return (answer, receiver.bytes)
    }

    /// Compares all that an address sends with what is on hand, however long that is.
    ///
    /// - Parameters:
    ///   - size: bytes on hand.
    ///   - onHand: reads a range of them.
    ///   - url: whom to ask.
    ///   - slot: a worker's place that nothing else uses meanwhile.
    /// - Returns: whether it is the same, and ends where what is on hand ends.
    /// - Throws: why it could not be compared.
    func isWhole(
        _ size: Int64, _ onHand: @escaping BlockReceiver.OnHand, at url: ResourceURL, on slot: Slot
    ) async throws(DownloadError) -> Bool {
        // One byte more would tell that it goes on.
        let (_, receiver) = try await received(
            ByteRange(0, size + 1), asking: nil, comparing: onHand, size: nil, at: url, on: slot)
        return !receiver.differs && receiver.taken == size
    }

    private func received(
        _ range: ByteRange, asking: ByteRange?, comparing onHand: BlockReceiver.OnHand? = nil, size: Int64?,
        mediaType: String? = nil, at url: ResourceURL, on slot: Slot, retries: Int? = nil
    ) async throws(DownloadError) -> (AcceptedAnswer, BlockReceiver) {
        var random = SplitMix64(seed: engine.seed)
        let retry = RetryPolicy(limit: min(retries ?? .max, engine.options.retries))
        var attempts = 0
        var asked = asking
        while true {
            let expectation = AnswerExpectation(
                requested: asked, size: size, comparesValidators: false, mediaType: mediaType)
            let receiver = BlockReceiver(
                wanted: range, of: sender.slice, expectation: expectation, comparing: onHand,
                wallClock: engine.wallClock)
            let question = RequestSender<Network>.Question(
                range: asked, expectation: expectation, validatorOrigin: nil, url: url,
                needsFreshConnection: attempts > 0, usesIfRange: false)
            let sent = await bounded(receiver, slot, question)
            if Task.isCancelled { throw .cancelledKeeping }
            if let reason = sent.redirectRefused { throw DownloadError(.refused(status: 302), reason, cause: reason) }
            if let answer = receiver.answer, case .success = sent.outcome { return (answer, receiver) }
            if asked != nil, range.lowerBound == 0, receiver.refusal?.mayMeanRange == true {
                // An empty file has no range to serve, and some servers serve none of any file.
                asked = nil
                continue
            }
            attempts += 1
            let failure = failure(sent, receiver, attempts)
            guard attempts <= retry.limit, failure.isRetryable else { throw DownloadError(failure.failure, url: url) }
            let wait = retry.delay(attempt: attempts, random: random.unit(), retryAfter: failure.retryAfter)
            engine.sink.events.yield(.retrying(reason: failure.words, wait: wait))
            await engine.time.sleep(wait)
        }
    }

    /// Compares blocks on hand with those at an address.
    ///
    /// - Parameters:
    ///   - blocks: ranges and the bytes on hand.
    ///   - size: size of the file.
    ///   - url: whom to ask.
    ///   - slot: a worker's place that nothing else uses meanwhile.
    /// - Returns: why the two can't be the same file, nil if nothing speaks against it.
    /// - Throws: why they could not be compared.
    func refutation(
        of blocks: [(range: ByteRange, bytes: [UInt8])], size: Int64, at url: ResourceURL, on slot: Slot
    ) async throws(DownloadError) -> String? {
        for (range, bytes) in blocks {
            let theirs: Block
            do throws(DownloadError) {
                theirs = try await block(range, size: nil, at: url, on: slot)
            } catch let error where error.code == .refused(status: 416) {
                return "it ends before offset \(range.lowerBound)"
            }
            if let other = theirs.answer.resource.size, other != size {
                return "it is \(other) bytes long, not \(size)"
            }
            guard theirs.answer.isPartial else { return "it does not serve ranges" }
            if theirs.bytes != bytes { return "its bytes at offset \(range.lowerBound) are others" }
        }
        return nil
    }

    /// Sends a sample's request, and ends it when nothing comes for the stall time.
    private func bounded(
        _ receiver: BlockReceiver, _ slot: Slot, _ question: RequestSender<Network>.Question
    ) async -> RequestSender<Network>.Sent {
        let (time, network, stall) = (engine.time, engine.network, engine.options.stallTimeout)
        let sender = sender
        return await withTaskGroup(of: RequestSender<Network>.Sent?.self) { group in
            group.addTask { await sender.send(question, on: slot, to: receiver) }
            group.addTask {
                var seen = receiver.taken
                var quiet = Duration.zero
                while !Task.isCancelled {
                    await time.sleep(.milliseconds(100))
                    quiet = receiver.taken == seen && receiver.isConnected ? quiet + .milliseconds(100) : .zero
                    seen = receiver.taken
                    if quiet > stall { network.cancel(slot) }
                }
                return nil
            }
            while let sent = await group.next() {
                if let sent {
                    group.cancelAll()
                    return sent
                }
            }
            return RequestSender.Sent(outcome: .failure(.cancelled), url: question.url, redirectRefused: nil)
        }
    }

    private func failure(
        _ sent: RequestSender<Network>.Sent, _ receiver: BlockReceiver, _ attempts: Int
    ) -> (failure: TransferFailure, isRetryable: Bool, retryAfter: Duration?, words: String) {
        if let refusal = receiver.refusal {
            guard case .status(let status, let retryAfter) = refusal else {
                return (.refused(refusal), false, nil, refusal.summary)
            }
            let isRetryable = [.retryable, .refusedConnection].contains(RetryPolicy().classify(status: status))
            return (.refused(refusal), isRetryable, retryAfter, refusal.summary)
        }
        if case .failure(let error) = sent.outcome {
            if error == .cancelled { return (.stalled(attempts: attempts), true, nil, "no data") }
            return (.network(error, attempts: attempts), RetryPolicy().classify(error) != .fatal, nil, error.summary)
        }
        return (.network(.brokenBeforeHead(detail: "no answer"), attempts: attempts), true, nil, "no answer")
    }
}
