import HaulCore
import HaulSystem

extension DownloadRun {
    /// Looks at the file that may already have the final name.
    ///
    /// - Returns: a receipt if it is the finished download; nil if there is none, or it will be replaced.
    /// - Throws: `outputExists` if it is something else.
    func existingFile(at path: String) async throws(DownloadError) -> DownloadReceipt? {
        let facts: FileFacts?
        do throws(SystemError) { facts = try FileFacts.of(path) } catch { throw DownloadError(error) }
        guard let facts else { return nil }
        if facts.isDirectory {
            throw DownloadError(.outputExists, "'\(path)' is a directory: give a file name, or the directory with -d")
        }
        switch engine.request.existing {
        case .replace: return nil
        case .refuse: throw exists(path, "it exists")
        case .trust: return complete(path, facts, verified: [])
        case .verify: break
        }
        if !engine.request.checksums.isEmpty {
            guard facts.isRegular else { throw exists(path, "it is no regular file") }
            guard let digests = try await digests(of: path) else { throw .cancelledKeeping }
            let wanted = engine.request.checksums.map(\.digest)
            guard wanted.allSatisfy({ digests.contains($0) }) else { throw exists(path, "it has another checksum") }
            return complete(path, facts, verified: wanted.map(\.algorithm.rawValue))
        }
        guard facts.isRegular else { throw exists(path, "it is no regular file") }
        if let difference = try await differenceFromServer(path, facts) { throw exists(path, difference) }
        return complete(path, facts, verified: ["size, date and samples"])
    }

    private func exists(_ path: String, _ reason: String) -> DownloadError {
        DownloadError(
            .outputExists, "'\(path)' is there already (\(reason)): use --force to overwrite it, or another name")
    }

    private func complete(_ path: String, _ facts: FileFacts, verified: [String]) -> DownloadReceipt {
        var receipt = DownloadReceipt(path: path, bytes: facts.size)
        receipt.wasComplete = true
        receipt.verified = verified
        receipt.duration = now - startedAt
        receipt.requests = Int(sender.requests.value)
        return receipt
    }

    private func digests(of path: String) async throws(DownloadError) -> [ContentDigest]? {
        do throws(SystemError) {
            return try await FileDigests(thread: engine.threads.check).digests(
                of: path, engine.request.checksums.map(\.digest.algorithm))
        } catch {
            throw DownloadError(error)
        }
    }

    /// Compares size, date and samples of a file with what the server has.
    ///
    /// - Returns: what differs, nil if nothing does.
    private func differenceFromServer(_ path: String, _ facts: FileFacts) async throws(DownloadError) -> String? {
        let first = ByteRange(0, min(Self.overlapLength, max(1, facts.size)))
        let (answer, bytes) = try await sample(first, size: nil)
        if answer.resource.size.map({ $0 != facts.size }) ?? true { return "its size is not the server's" }
        if let date = answer.resource.lastModified, date != facts.modificationTime {
            return "its date is not the server's"
        }
        var blocks = [(first.clamped(to: ByteRange(0, facts.size)), bytes)]
        if answer.resource.lastModified == nil, answer.isPartial {
            for range in SampleBlocks(size: facts.size, seed: engine.seed).ranges {
                blocks.append((range, try await sample(range, size: facts.size).bytes))
            }
        }
        do throws(SystemError) {
            for (range, bytes) in blocks {
                if try FileFacts.read(path, range) != bytes { return "its content is not the server's" }
            }
        } catch {
            throw DownloadError(error)
        }
        return nil
    }

    /// Fetches a small range into memory, with the usual retries.
    func sample(_ range: ByteRange, size: Int64?) async throws(DownloadError) -> (
        answer: AcceptedAnswer, bytes: [UInt8]
    ) {
        var random = SplitMix64(seed: engine.seed)
        let retry = RetryPolicy(limit: engine.options.retries)
        var attempts = 0
        while true {
            let expectation = AnswerExpectation(
                requested: range, size: size, validators: nil, comparesValidators: false, mediaType: nil)
            let receiver = BlockReceiver(wanted: range, expectation: expectation, wallClock: engine.wallClock)
            let sent = await bounded(
                receiver,
                RequestSender.Question(
                    range: range, expectation: expectation, validatorOrigin: nil, url: engine.url,
                    needsFreshConnection: attempts > 0, usesIfRange: false))
            if Task.isCancelled { throw .cancelledKeeping }
            if let reason = sent.redirectRefused { throw DownloadError(.refused(status: 302), reason) }
            if let answer = receiver.answer, case .success = sent.outcome { return (answer, receiver.bytes) }
            attempts += 1
            let failure = sampleFailure(sent, receiver, attempts)
            guard attempts <= retry.limit, failure.isRetryable else {
                throw DownloadError(failure.failure, url: engine.url)
            }
            let wait = retry.delay(attempt: attempts, random: random.unit(), retryAfter: failure.retryAfter)
            engine.sink.events.yield(.retrying(reason: failure.words, wait: wait))
            await engine.time.sleep(wait)
        }
    }

    /// Sends a sample's request, and ends it when nothing comes for the stall time.
    private func bounded(
        _ receiver: BlockReceiver, _ question: RequestSender<Network>.Question
    ) async -> RequestSender<Network>.Sent {
        let (time, network, slot, stall) = (engine.time, engine.network, transportSlot(0), engine.options.stallTimeout)
        let sender = sender
        return await withTaskGroup(of: RequestSender<Network>.Sent?.self) { group in
            group.addTask { await sender.send(question, on: slot, to: receiver) }
            group.addTask {
                var seen = receiver.bytes.count
                var quiet = Duration.zero
                while !Task.isCancelled {
                    await time.sleep(.milliseconds(100))
                    quiet = receiver.bytes.count == seen && receiver.isConnected ? quiet + .milliseconds(100) : .zero
                    seen = receiver.bytes.count
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

    private func sampleFailure(
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
