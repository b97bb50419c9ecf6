import HaulCore
import HaulSystem

/// Passing the bytes on in order, for a download without a file.
///
/// A file without a name holds what came before its turn. Bytes that have gone out can't be taken back: from the first
/// one on there is no starting over.
extension DownloadRun {
    /// Whether the bytes go to a descriptor.
    var isStream: Bool {
        if case .descriptor = engine.request.destination { true } else { false }
    }

    /// Makes the file and what passes its bytes on.
    mutating func prepareStream(in group: inout Errands<Outcome>) async throws(DownloadError) {
        guard case .descriptor(let number) = engine.request.destination, output == nil else { return }
        do throws(SystemError) {
            let part = try await streamFile.make(in: engine.options.temporaryDirectory)
            self.part = part
            let output = try OrderedOutput(
                of: part, to: OutputDescriptor(duplicating: number), digests: expectedAlgorithms)
            self.output = output
            addAdvance(of: output, to: &group)
        } catch {
            throw DownloadError(error)
        }
    }

    private func addAdvance(of output: OrderedOutput, to group: inout Errands<Outcome>) {
        group.addTask {
            await output.advance()
            return .advanced(output)
        }
    }

    /// A writer for a request's bytes: one that another request has left, or a new one.
    mutating func writer(at offset: Int64) -> SegmentWriter? {
        guard let part else { return nil }
        if let spare = spareWriters.popLast() {
            spare.reset(at: offset)
            return spare
        }
        guard let output else { return SegmentWriter(part: part, at: offset) }
        return SegmentWriter(part: part, at: offset) { output.add($0) }
    }

    /// More has gone out: asks for more, and ends when all has.
    mutating func advanced(
        _ output: OrderedOutput, in group: inout Errands<Outcome>
    ) async throws(DownloadError) -> DownloadReceipt? {
        // One that started over has another.
        guard output === self.output else { return nil }
        let receipt = try await passOn(in: &group)
        if receipt == nil { addAdvance(of: output, to: &group) }
        return receipt
    }

    /// Looks how far the output is.
    ///
    /// - Returns: the receipt when everything has gone out.
    mutating func passOn(in group: inout Errands<Outcome>) async throws(DownloadError) -> DownloadReceipt? {
        guard let output else { return nil }
        let standing = output.standing
        if let failure = standing.failure { throw failed(failure) }
        observe()
        if let receipt = try await perform(scheduler.advance(to: standing.position, now: now), in: &group) {
            return receipt
        }
        for (slot, worker) in workers where worker.receiver.moveHorizon(to: scheduler.horizon) {
            engine.network.resume(transportSlot(slot))
        }
        guard isDraining, let size = scheduler.size, standing.position == size else { return nil }
        return try await finish(output, size: size)
    }

    private func failed(_ failure: SystemError) -> DownloadError {
        if failure.isClosedPipe {
            return DownloadError(.outputClosed, "nobody reads the output any more", cause: failure.cause)
        }
        if failure.number == 0 { return DownloadError(.integrity, failure.message) }
        return DownloadError(failure)
    }

    private mutating func finish(_ output: OrderedOutput, size: Int64) async throws(DownloadError) -> DownloadReceipt {
        try checkExpected(size)
        let digests: [ContentDigest]
        do throws(SystemError) { digests = try await output.digests() } catch { throw DownloadError(error) }
        // A later answer may have volunteered one that nobody computed from the beginning: that is passed over.
        let comparison = compare(digests)
        if let wrong = comparison.contradiction { throw mismatch(wrong, digests) }
        report(.finished)
        return receipt(path: "", size: size, words(for: comparison) + ["crc32c of every range"])
    }

    private func mismatch(_ expected: ContentDigest, _ actual: [ContentDigest]) -> DownloadError {
        let found = actual.first { $0.algorithm == expected.algorithm }?.hex ?? "none"
        return DownloadError(
            .integrity,
            "\(expected.algorithm.rawValue) is \(found), expected \(expected.hex): the bytes are not what the checksum "
                + "says, and have gone out already: don't use what was made of them", url: engine.url.redacted)
    }

    /// Begins anew as far as that is possible.
    ///
    /// - Returns: whether nothing had gone out. Otherwise the next request is for all bytes, and those that have gone out
    ///   are compared with what comes.
    mutating func rewindStream(_ reason: String) -> Bool {
        guard let output else { return true }
        isDraining = false
        passed = output.rewind()
        guard passed.length > 0 else {
            output.stop()
            self.output = nil
            part = nil
            return true
        }
        scheduler.asksForRanges = false
        engine.sink.events.yield(.notice("\(reason): the first \(passed.length) bytes have gone out and are skipped"))
        return false
    }

    /// Says of an error what it means for bytes that go nowhere else.
    func explained(_ error: DownloadError) -> DownloadError {
        guard isStream else { return error }
        var error = error
        let sent = output?.committed.length ?? 0
        if error.code == .resourceChanged, sent > 0 {
            error.message =
                "\(engine.url.redacted) changed after \(sent) bytes had gone out, which can't be taken back: try again"
        }
        let advice = error.message.firstRange(of: ": run the same command")
        if let advice { error.message.removeSubrange(advice.lowerBound...) }
        if error.code == .cancelled { error.message = "interrupted: \(sent) bytes have gone out" }
        return error
    }
}
