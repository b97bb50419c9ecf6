import HaulCore
import HaulSystem

extension DownloadRun {
    /// What the final check came to.
    enum Verdict {
        /// The file has its name.
        case published(DownloadReceipt)
        /// These ranges are not on disk as they came off the wire.
        case repair([ByteRange])
        /// The content is not what the publisher says it is, and some of it came from an earlier run.
        case startOver(reason: String)
        /// Samples say that the server has other bytes by now, or several versions at once.
        case changed(reason: String)
    }

    /// Most rounds of fetching bad ranges again: then the disk is to blame.
    private static var mostRepairs: Int { 3 }

    /// Most times that a whole file is fetched anew because of its digest: each time it may be another source's.
    private static var mostDigestRestarts: Int { 3 }

    /// Every byte is here: compares the disk with what came off the wire and with what publishers say.
    mutating func verify() async throws(DownloadError) -> Verdict {
        report(.verifying)
        guard let store else { throw DownloadError(.other, "nothing was received") }
        let size = scheduler.size ?? 0
        do throws(DownloadError) { try checkExpected(size) } catch {
            // Only a size that nobody had said before the end can be wrong here: nothing of it can be gone on from.
            try? await store.discard()
            throw error
        }
        var verified: [String] = []
        if let check {
            let report = await check.finish(size: size)
            if Task.isCancelled { throw .cancelledKeeping }
            if let error = report.readError { throw DownloadError(error) }
            let bad = report.bad + report.missing.map { FinishedRange($0, checksum: 0) }
            if !bad.isEmpty { return try await repair(bad, in: store) }
            guard report.isGood else { throw DownloadError(.other, "the final check did not come to an end") }
            verified.append("crc32c of every range")
            let voucher = voucher
            if let reason = try await sampledDifference(size: size) { return .changed(reason: reason) }
            if let voucher { verified.append(voucher) }
            let digests = try await report.digests + combinedChecksum(size: size) + lateDigests(in: store)
            let comparison = compare(digests)
            if let pieces, pieces.cover(size),
                comparison.contradiction != nil || !comparison.proven.contains(where: isStrong)
            {
                if let verdict = try await verdict(on: pieces, size: size, in: store) { return verdict }
                verified.insert("\(pieces.algorithm.rawValue) of every piece", at: 0)
            }
            if let wrong = comparison.contradiction { return try await mismatch(wrong, digests, in: store) }
            verified = words(for: comparison) + verified
        }
        return .published(try await publish(verified, size: size))
    }

    /// Compares a size with the one that the caller expects.
    func checkExpected(_ size: Int64) throws(DownloadError) {
        guard let expected = engine.request.expectedSize, size != expected else { return }
        throw DownloadError(
            .integrity,
            "\(engine.url.redacted): the server's file has \(size) bytes, expected \(expected): check the address",
            url: engine.url.redacted)
    }

    /// The CRC-32C of the whole, made of its ranges' without reading where they lie end to end.
    private func combinedChecksum(size: Int64) async throws(DownloadError) -> [ContentDigest] {
        guard expectedDigests.contains(where: { $0.algorithm == .crc32c }), let store else { return [] }
        var checksum: UInt32 = 0
        var position: Int64 = 0
        for part in written.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            guard part.range.lowerBound == position else { break }
            checksum = HardwareCRC32C.combine(checksum, part.checksum, length: part.range.length)
            position = part.range.upperBound
        }
        if position == size {
            return [ContentDigest(crc32c: checksum)]
        }
        // Two connections raced, or a bad range was fetched again: the pieces overlap.
        do throws(SystemError) {
            return try await FileDigests(thread: engine.threads.check).digests(of: store.paths.part, [.crc32c]) ?? []
        } catch {
            throw DownloadError(error)
        }
    }

    private func isStrong(_ digest: ContentDigest) -> Bool { digest.algorithm.resistsForgery }

    /// Digests that became known when the transfer was under way: the bytes are read once more for them.
    private func lateDigests(in store: DownloadStore) async throws(DownloadError) -> [ContentDigest] {
        let missing = hashedAlgorithms.filter { !checkedAlgorithms.contains($0) }
        guard !missing.isEmpty else { return [] }
        guard let found = try await digests(of: store.paths.part, missing) else { throw .cancelledKeeping }
        return found
    }

    /// Whether the server's validators tell versions apart.
    private var isVouchedFor: Bool { resource?.validators.tellVersionsApart == true && !tagsMeanNothing }

    /// Whether digests say what the bytes must be.
    private var hasDigests: Bool { !expectedDigests.isEmpty || pieces != nil }

    /// What says that the answers were of one version, where there was more than one and no digest is known.
    private var voucher: String? {
        guard !hasDigests, sender.requests.value > 1 else { return nil }
        return isVouchedFor && !usedMirrors ? "one version by its validator" : "one version as sampled"
    }

    /// Samples a file that neither validator nor digest vouches for.
    ///
    /// A weak tag, or a date in whose second more than one version may have been made, is no validator.
    private mutating func sampledDifference(size: Int64) async throws(DownloadError) -> String? {
        guard !hasDigests, sender.requests.value > 1 else { return nil }
        if usedMirrors {
            // Releases of equal size may share most blocks: what a few samples let in is looked at again, all over.
            guard let reason = try await finalSampling(size: size, atMost: 64) else { return nil }
            for index in sources.sources.indices where index != sources.primary { giveUp(index, because: reason) }
            usedMirrors = false
            return reason
        }
        return isVouchedFor ? nil : try await finalSampling(size: size, atMost: 16)
    }

    private mutating func repair(
        _ bad: [FinishedRange], in store: DownloadStore
    ) async throws(DownloadError) -> Verdict {
        repairs += 1
        let bytes = bad.reduce(0) { $0 + $1.range.length }
        guard repairs <= Self.mostRepairs else {
            // Where nothing tells versions apart, two connections may have brought different bytes for one range.
            if !hasDigests, !isVouchedFor {
                return .changed(reason: "\(bytes) bytes came differently each time, or the disk changes them")
            }
            throw DownloadError(
                .integrity, "the disk gives back other bytes than were written (\(bytes) bytes): check the disk",
                range: bad.first.map { $0.range.lowerBound..<$0.range.upperBound })
        }
        engine.sink.events.yield(.notice("\(bytes) bytes on disk are not what was received: fetching them again"))
        do throws(SystemError) { try await store.forget(bad) } catch { throw DownloadError(error) }
        for range in bad { check?.forget(range.range) }
        // What was found good before that may have been changed since, too.
        check?.distrust()
        return .repair(bad.map(\.range))
    }

    private mutating func mismatch(
        _ expected: ContentDigest, _ actual: [ContentDigest], in store: DownloadStore
    ) async throws(DownloadError) -> Verdict {
        let found = actual.first { $0.algorithm == expected.algorithm }?.hex ?? "none"
        let reason = "the \(expected.algorithm.rawValue) digest does not match"
        let isFirst = digestRestarts == 0
        if isFirst { untriedAlone += sources.others }
        digestRestarts += 1
        if isFirst, inherited != nil || usedMirrors {
            // One of them may have brought other bytes; which, the digest does not tell.
            for index in sources.dropMirrors() { announce(index, because: "the whole does not match its digest") }
            usedMirrors = false
            return .startOver(reason: reason)
        }
        if digestRestarts <= Self.mostDigestRestarts, !untriedAlone.isEmpty {
            announce(sources.primary, because: "the whole does not match its digest")
            sources.turn(to: untriedAlone.removeFirst())
            return .startOver(reason: reason)
        }
        do throws(SystemError) { try await store.markUntrustworthy() } catch { throw DownloadError(error) }
        throw DownloadError(
            .integrity,
            "\(store.paths.final): \(expected.algorithm.rawValue) is \(found), expected \(expected.hex): the file is not "
                + "what the checksum says, and was not kept under its name: check the address and the checksum",
            url: engine.url.redacted)
    }

    private mutating func publish(_ verified: [String], size: Int64) async throws(DownloadError) -> DownloadReceipt {
        guard let store, let paths else { throw DownloadError(.other, "nothing was received") }
        // The last byte is here: the next download may use the connections while this one waits for the disk.
        engine.lease?.stepAside()
        // A file without a journal loses nothing that is recorded when the sync fails.
        let isSmall = size <= engine.splitPolicy.journalCutoff && inherited == nil
        do throws(SystemError) {
            let (time, mode) = (resource?.lastModified, engine.name?.fileMode)
            let replaces = engine.request.existing == .replace || engine.request.existing == .resume
            let syncs = engine.options.syncsBeforePublishing
            if syncs, isSmall, let group = engine.syncs {
                try await store.publish(
                    modificationTime: time, replacing: replaces, size: size, mode: mode, through: group)
            } else {
                try await store.perform { (store) throws(SystemError) in
                    try store.publish(
                        modificationTime: time, replacing: replaces, sync: syncs, size: size, mode: mode)
                }
            }
        } catch {
            if error.isExists, let receipt = try await publishedByOthers(as: paths.final) { return receipt }
            throw DownloadError(error)
        }
        report(.finished)
        return receipt(path: paths.final, size: size, verified)
    }

    /// Another process, which let go of its partial when this one came, has given the name to its file.
    ///
    /// - Returns: a receipt if that is the same file; then nothing of this one is left.
    private mutating func publishedByOthers(as path: String) async throws(DownloadError) -> DownloadReceipt? {
        guard let receipt = try await existingFile(at: path) else { return nil }
        do throws(SystemError) { try await store?.discard() } catch { throw DownloadError(error) }
        return receipt
    }

    /// What the download came to.
    func receipt(path: String, size: Int64, _ verified: [String]) -> DownloadReceipt {
        var receipt = DownloadReceipt(path: path, bytes: size)
        receipt.resumed = resumedBytes
        receipt.received = receivedByEnded
        receipt.duration = now - startedAt
        receipt.connections = scheduler.mostConnections
        receipt.speedUp = scheduler.speedUp.factor
        receipt.requests = Int(sender.requests.value)
        receipt.verified = verified
        return receipt
    }

    /// Throws away what is on hand, to fetch the file anew.
    mutating func startOver(_ reason: String) async throws(DownloadError) {
        guard rewindStream(reason) else {
            resource = nil
            return
        }
        engine.sink.events.yield(.restarted(reason: reason))
        restarts += 1
        mostReceived = 0
        if let tag = resource?.validators.entityTag ?? inherited?.header.entityTag.flatMap({ EntityTag($0) }) {
            seenTags.insert(tag.text)
        }
        inherited = nil
        resource = nil
        for index in sources.sources.indices {
            sources[index].validators = nil
            sources[index].brought = ByteRangeSet()
        }
        resumedBytes = 0
        check = nil
        rate = RateEstimator()
        sender.slice.wholeSize = nil
        try await resolveSlice()
        do throws(SystemError) { try await store?.startOver() } catch { throw DownloadError(error) }
    }
}
