import HaulCore
import HaulSystem

/// Whether what is on hand and what the server has are one resource.
///
/// Validators and digests prove it, samples only refute it.
extension DownloadRun {
    /// Fewest blocks that must be comparable before samples count for anything, where there are as many.
    private static var fewestBlocks: Int { 4 }

    /// Goes on from an earlier run's partial unless something says that it is of another resource.
    ///
    /// An equal strong validator is left to the first request itself, which carries it; anything less is looked into
    /// before a byte is written.
    mutating func inherit(_ left: InheritedPartial, from store: DownloadStore) async throws(DownloadError) {
        guard let size = left.header.size else { return }
        guard slice.isThat(of: left.header) else {
            engine.sink.events.yield(.restarted(reason: "what is on hand is another part of the file"))
            restarts += 1
            do throws(SystemError) { try await store.startOver() } catch { throw DownloadError(error) }
            return
        }
        if let expected = engine.request.expectedSize, size != expected {
            engine.sink.events.yield(.restarted(reason: "what is on hand is of a file of another size"))
            restarts += 1
            do throws(SystemError) { try await store.startOver() } catch { throw DownloadError(error) }
            return
        }
        sender.slice.wholeSize = left.header.wholeSize
        let left = try await soundBeforeGap(left, size: size, in: store)
        guard !left.finished.isEmpty else { return }
        let isSameAddress = left.header.isOf(engine.url)
        let tag = left.header.entityTag.flatMap { EntityTag($0) }
        if isSameAddress {
            sources[0].validators = EntityValidators(
                entityTag: left.header.entityTag, lastModified: left.header.lastModified)
            sources[0].validatorOrigin = engine.url.origin
        }
        if isSameAddress, let tag, !tag.isWeak {
            inherited = left
        } else if let reason = try await refutation(of: left, size: size, isSameAddress: isSameAddress) {
            engine.sink.events.yield(.restarted(reason: reason))
            restarts += 1
            do throws(SystemError) { try await store.startOver() } catch { throw DownloadError(error) }
        } else {
            if !isSameAddress {
                engine.sink.events.yield(.notice("going on from a partial of \(left.header.host)\(left.header.path)"))
            }
            inherited = left
        }
    }

    /// Leaves out ranges before the first gap that are not on disk as they were received.
    ///
    /// The first answer is compared with the bytes there: what the disk has changed must not look like a new version.
    private func soundBeforeGap(
        _ left: InheritedPartial, size: Int64, in store: DownloadStore
    ) async throws(DownloadError) -> InheritedPartial {
        var finished = left.finished
        var bad: Int64 = 0
        search: while true {
            let gap = ByteRangeSet(finished.map(\.range)).gaps(in: ByteRange(0, size)).first?.lowerBound ?? size
            let edge = ByteRange(max(0, gap - 2 * Self.overlapLength), gap)
            for (index, range) in finished.enumerated() where range.range.overlaps(edge) {
                do throws(SystemError) {
                    if try await store.isSound(range) { continue }
                } catch {
                    throw DownloadError(error)
                }
                finished.remove(at: index)
                bad += range.range.length
                continue search
            }
            break
        }
        guard bad > 0 else { return left }
        engine.sink.events.yield(.notice("\(bad) bytes on disk are not what was received: fetching them again"))
        return InheritedPartial(header: left.header, finished: finished, notice: left.notice)
    }

    /// Why a partial can't be of the resource that is asked for, nil if nothing speaks against it.
    private mutating func refutation(
        of left: InheritedPartial, size: Int64, isSameAddress: Bool
    ) async throws(DownloadError) -> String? {
        let finished = ByteRangeSet(left.finished.map(\.range))
        let candidates = SampleBlocks(within: finished, count: 64, seed: engine.seed).ranges
        guard let first = candidates.first else { return "nothing in the partial can be compared" }
        let (answer, bytes): Sampler<Network>.Block
        do throws(DownloadError) {
            // A page of HTML in place of the file is no other version of it.
            (answer, bytes) = try await sample(first, size: nil, mediaType: left.header.mediaType)
        } catch let error where error.code == .refused(status: 416) {
            return "the server's file ends before offset \(first.lowerBound)"
        }
        if let theirs = answer.resource.size, theirs != size { return "the size was \(size) and is \(theirs)" }
        comparedHeirs.insert(sources.primary)
        // To a mirror that took the first one's place they mean nothing.
        if isSameAddress, sources.primary == 0 {
            let known = EntityValidators(entityTag: left.header.entityTag, lastModified: left.header.lastModified)
            if let contradiction = known.contradicts(answer.resource.validators) { return contradiction }
        }
        // A digest of the whole decides at the end.
        if engine.request.hasDigests { return nil }
        guard answer.isPartial else { return "the server does not serve ranges" }
        return try await difference(among: candidates, of: left.finished, knowing: (first, bytes), size: size)
    }

    /// Compares up to 16 blocks on disk with the server's.
    ///
    /// - Returns: why they are not the same, nil if nothing speaks against it.
    private mutating func difference(
        among candidates: [ByteRange], of finished: [FinishedRange], knowing first: (range: ByteRange, bytes: [UInt8]),
        size: Int64
    ) async throws(DownloadError) -> String? {
        guard let store else { return nil }
        var (compared, alike) = (0, 0)
        for range in candidates where compared < 16 {
            let mine: [UInt8]
            do throws(SystemError) { mine = try await store.read(range) } catch { throw DownloadError(error) }
            let isAlike = !SampleBlocks.tells(mine)
            // A few of those are compared as well, since a server may have sent zeros; they prove nothing.
            if isAlike, alike >= 8 { continue }
            let theirs = range == first.range ? first.bytes : try await sample(range, size: size).bytes
            if mine != theirs {
                // What the disk changed says nothing about the server; it is fetched again at the end.
                guard try await isSound(range, of: finished) else { continue }
                return "the bytes at offset \(range.lowerBound) are others"
            }
            if isAlike { alike += 1 } else { compared += 1 }
        }
        let needed = min(Self.fewestBlocks, candidates.count)
        return compared < needed ? "too little of the partial can be compared" : nil
    }

    /// Whether the parts of the partial that hold a block are on disk as they came off the wire.
    private func isSound(_ block: ByteRange, of finished: [FinishedRange]) async throws(DownloadError) -> Bool {
        do throws(SystemError) {
            for part in finished where part.range.overlaps(block) {
                if try await store?.isSound(part) == false { return false }
            }
            return true
        } catch {
            throw DownloadError(error)
        }
    }

    /// Takes note of a tag that a restart left behind, and tells whether tags mean anything on this server.
    ///
    /// Nodes of some networks name the same bytes differently. When a tag comes back that this run has seen before, with
    /// equal size and date, tags are no longer compared, and samples are, at the end.
    ///
    /// - Returns: whether `refusal` is such a case and no change.
    mutating func isFlapping(_ refusal: AnswerRefusal) -> Bool {
        guard case .changed(_, let answer?) = refusal, let resource else { return false }
        let theirs = answer.resource
        guard theirs.size == resource.size || theirs.size == nil, let tag = theirs.validators.entityTag,
            let date = theirs.validators.lastModified, date == resource.validators.lastModified
        else { return false }
        // Other workers see the same change while it is being dealt with: that is no coming back.
        guard scheduler.isTransferring, !seenTags.insert(tag.text).inserted else { return false }
        tagsMeanNothing = true
        return true
    }

    /// What a refused answer comes to where it is not what it looks like, nil where it is.
    ///
    /// - Throws: `cancelled`, or what the disk said.
    mutating func reconsidered(
        _ refusal: AnswerRefusal, of worker: Worker
    ) async throws(DownloadError) -> FlightEnd.Cause? {
        guard case .wholeBody(let answer) = refusal, isOwedToIfRange(answer, from: worker) else { return nil }
        // The tag was to tell whether what is on hand is of this version: without it the bytes have to.
        guard resource == nil, let inherited, let size = inherited.header.size,
            sources[worker.source].validators?.provesSameBytes(as: answer.resource.validators) != true
        else { return .aborted }
        let reason = try await refutation(of: inherited, size: size, isSameAddress: true)
        return reason.map { .refused(.changed(reason: $0, nil)) } ?? .aborted
    }

    /// Whether the server sent the whole file, of the same version for all that is known, perhaps only because of the
    /// `If-Range` field.
    ///
    /// Some servers never find that it matches, others have stopped giving tags since an earlier run. It is left out from
    /// then on; answers are compared as before.
    func isOwedToIfRange(_ answer: AcceptedAnswer, from worker: Worker) -> Bool {
        guard worker.receiver.sentIfRange, let known = resource?.validators ?? sources[worker.source].validators else {
            return false
        }
        return known.contradicts(answer.resource.validators) == nil
    }

    /// Compares blocks of the finished file with the server's once more, where nothing else vouches for it.
    ///
    /// - Parameters:
    ///   - size: size of the file.
    ///   - limit: most blocks; an eighth of a small file, but 16 at least.
    /// - Returns: why they differ, nil if nothing speaks against the file, or the server can't be asked any more.
    /// - Throws: `cancelled`, or what the disk said.
    func finalSampling(size: Int64, atMost limit: Int) async throws(DownloadError) -> String? {
        let count = min(max(Int(size / SampleBlocks.blockLength / 8), 16), limit)
        let candidates = SampleBlocks(size: size, count: count, seed: engine.seed &+ 1).ranges
        let primary = sources[sources.primary].url
        let sampler = Sampler(engine: engine, sender: sender)
        guard let first = candidates.first, let store else { return nil }
        // Zeros in place of data are what is to be found, too: alike bytes prove nothing, but they refute.
        let blocks = try await telling(candidates, in: store, atMost: count, alsoAlike: true)
        do throws(DownloadError) {
            let (answer, _) = try await sampler.block(first, size: nil, at: primary, on: transportSlot(0))
            if let theirs = answer.resource.size, theirs != size { return "the size was \(size) and is \(theirs)" }
            guard answer.isPartial else { return nil }
            return try await sampler.refutation(of: blocks, size: size, at: primary, on: transportSlot(0))
        } catch {
            if Task.isCancelled { throw error }
            engine.sink.events.yield(.notice("the file could not be compared once more: \(error.message)"))
            return nil
        }
    }

    /// Reads blocks that can refute something.
    ///
    /// - Parameters:
    ///   - candidates: where they may lie.
    ///   - store: where they are on hand.
    ///   - count: most of them.
    ///   - alsoAlike: whether blocks of one repeated byte count as well.
    /// - Returns: the blocks with their bytes.
    /// - Throws: what the disk said.
    func telling(
        _ candidates: [ByteRange], in store: DownloadStore, atMost count: Int, alsoAlike: Bool = false
    ) async throws(DownloadError) -> [(range: ByteRange, bytes: [UInt8])] {
        var blocks: [(range: ByteRange, bytes: [UInt8])] = []
        for range in candidates where blocks.count < count {
            do throws(SystemError) {
                let bytes = try await store.read(range)
                if alsoAlike || SampleBlocks.tells(bytes) { blocks.append((range, bytes)) }
            } catch {
                throw DownloadError(error)
            }
        }
        return blocks
    }
}
