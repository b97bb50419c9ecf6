import HaulCore
import HaulSystem

extension DownloadRun {
    /// Finds out where the file goes, what an earlier run left there, and whether it is finished already.
    ///
    /// - Returns: a receipt if nothing needs to be fetched.
    mutating func openDestination() async throws(DownloadError) -> DownloadReceipt? {
        if isStream { return nil }
        let path: String
        switch engine.request.destination {
        case .file(let file):
            path = engine.name?.path ?? file
            let paths = DownloadPaths.located(final: path, temporaryDirectory: engine.options.temporaryDirectory)
            // With nothing there, the answer says first how large it is.
            if engine.request.prefix == nil, !exists(path), !exists(paths.part) {
                do throws(SystemError) { try FileFacts.checkPlace(of: path) } catch { throw DownloadError(error) }
                engine.sink.events.yield(.located(path: path))
                return nil
            }
        case .directory(let directory):
            // The server may give another name; this one is tried first, since a partial under it may be on hand.
            let candidate =
                engine.name?.path
                ?? DownloadPaths.candidate(in: directory, for: engine.url)
            let paths = DownloadPaths.located(final: candidate, temporaryDirectory: engine.options.temporaryDirectory)
            guard exists(paths.part) else {
                if let receipt = try await finishedEarlier(candidate) {
                    await removeLeftJournal(in: DownloadStore(paths, thread: engine.threads.run))
                    return receipt
                }
                do throws(SystemError) { try FileFacts.checkPlace(of: candidate) } catch { throw DownloadError(error) }
                return nil
            }
            path = candidate
        case .descriptor: return nil
        }
        return try await settle(on: path)
    }

    /// Opens what an earlier run left under `path`, and looks at the finished file that may be there.
    ///
    /// - Parameters:
    ///   - path: the final name.
    ///   - size: size of the file, nil if unknown.
    /// - Returns: a receipt if the finished file is there.
    /// - Throws: why nothing can be put there.
    mutating func settle(on path: String, size: Int64? = nil) async throws(DownloadError) -> DownloadReceipt? {
        let paths = DownloadPaths.located(final: path, temporaryDirectory: engine.options.temporaryDirectory)
        self.paths = paths
        engine.sink.events.yield(.located(path: path))
        let store = DownloadStore(paths, thread: isSmall(size) ? engine.threads.run : engine.threads.disk)
        // What is to be taken over may bear the final name already: other tools write there.
        if !isPrefix(path), let receipt = try await existingFile(at: path) {
            await removeLeftJournal(in: store)
            return receipt
        }
        self.store = store
        let left: InheritedPartial?
        let notice: String?
        do throws(SystemError) {
            (left, notice) = try await store.perform { (store) throws(SystemError) in
                let left = try store.openExisting()
                return (left, left.map(\.notice) ?? store.notice)
            }
            if engine.request.discardsPartial, left != nil { try await store.startOver() }
        } catch {
            throw DownloadError(error)
        }
        checkToken(against: left)
        if let notice, !engine.request.discardsPartial { engine.sink.events.yield(.notice(notice)) }
        if let left, !engine.request.discardsPartial { try await inherit(left, from: store) }
        if let prefix = prefix(at: path) { try await goOn(from: prefix, in: store) }
        return nil
    }

    /// Takes over another tool's file, unless haul's own partial is further.
    private mutating func goOn(from prefix: Prefix, in store: DownloadStore) async throws(DownloadError) {
        if inherited != nil {
            guard !prefix.isOptional else { return }
            engine.sink.events.yield(.notice("going on from haul's own partial, not from '\(prefix.path)'"))
        } else if !exists(prefix.path), await store.part != nil {
            // An earlier run took it over, and power failed before the disk had it all.
            let notice = "'\(prefix.path)' was taken over, and nothing of it is left to go on from"
            engine.sink.events.yield(.notice(notice))
        } else {
            try await adopt(prefix, into: store)
        }
    }

    /// Compares what is on hand with what a token says of it.
    ///
    /// Whether the server still has that version is another question, and is looked into afterwards as always.
    private func checkToken(against left: InheritedPartial?) {
        guard let token = engine.request.resumption else { return }
        let reason = left.map { token.contradiction($0.header) } ?? "it is gone"
        if let reason { engine.sink.events.yield(.notice("not the partial that was stopped: \(reason)")) }
    }

    /// The file that may hold the beginning.
    private func prefix(at path: String) -> Prefix? {
        if let prefix = engine.request.prefix {
            return Prefix(path: prefix, isOptional: engine.request.prefixIsOptional)
        }
        guard engine.request.existing == .resume, exists(path) else { return nil }
        return Prefix(path: path, isOptional: true)
    }

    /// Whether a path names the file that is to be taken over, however either is spelled.
    private func isPrefix(_ path: String) -> Bool {
        guard let prefix = engine.request.prefix, let there = try? SmallFile.resolved(path) else { return false }
        return there == (try? SmallFile.resolved(prefix))
    }

    /// Removes the journal of a finished file, left by a process that died between rename and removal.
    ///
    /// The partial is made for as long as that takes, since its lock keeps others away.
    private func removeLeftJournal(in store: DownloadStore) async {
        guard exists(store.paths.journal), !exists(store.paths.part) else { return }
        do throws(SystemError) {
            try await store.create()
            try await store.discard()
        } catch {
            // Somebody else is on it, or it must stay: such a journal does no harm.
        }
    }

    func exists(_ path: String) -> Bool { FileFacts.exists(path) }

    // MARK: - The first answer

    /// The first answer's head came: learns what the resource is, prepares the files and lets the body in.
    mutating func headArrived(
        on slot: Int, in group: inout Errands<Outcome>
    ) async throws(DownloadError) -> DownloadReceipt? {
        guard let worker = workers[slot], !worker.isOpen, let answer = worker.receiver.answer else { return nil }
        workers[slot]?.isOpen = true
        workers[slot]?.isNoted = true
        if inherited != nil, !answer.isPartial, scheduler.asksForRanges || isOwedToIfRange(answer, from: worker) {
            // It is asked again, without `If-Range` if that was the cause, before anything on hand is given up: one node
            // that serves no ranges must not cost what others brought. Who never does is asked for the whole then.
            worker.receiver.reject(.wholeBody(answer))
            engine.network.cancel(transportSlot(slot))
            return nil
        }
        noteAnswer(of: worker)
        if let size = answer.wholeSize { sender.slice.wholeSize = size }
        if engine.request.range != nil, let size = answer.wholeSize, size <= slice.lowerBound {
            throw beyondEnd(size: size)
        }
        if paths == nil, !isStream, let receipt = try await settleByName(for: answer.resource) { return receipt }
        if let reason = reasonToStartOver(answer, worker.receiver.refusal) { try await startOver(because: reason) }
        guard answer.start <= scheduler.flights[slot]?.range.lowerBound ?? 0 || answer.start == 0 else {
            worker.receiver.reject(.misplaced(reason: "it begins at \(answer.start)"))
            engine.network.resume(transportSlot(slot))
            return nil
        }
        try learn(from: answer, worker.receiver, in: &group)
        try await prepareStream(in: &group)
        try await prepareFiles(for: answer)
        let opening = opening(answer, on: slot)
        let isGathered = givePlace(to: worker.receiver, answer, opening)
        announce(opening)
        warnOfPage(answer.resource)
        observe()
        let isWhole = opening.answer.upperBound >= opening.size ?? .max
        shareConnections(opening.acceptsRanges && !isWhole ? engine.splitPolicy.connections : 1)
        let actions = scheduler.open(opening, now: now)
        if !isGathered { engine.network.resume(transportSlot(slot)) }
        engine.sink.events.yield(.planned(scheduler.plan.description))
        return try await perform(actions, in: &group)
    }

    /// What was on hand is of another version.
    private mutating func startOver(because reason: String) async throws(DownloadError) {
        engine.sink.events.yield(.restarted(reason: reason))
        restarts += 1
        try await forgetInherited()
    }

    /// Takes note of what the answer says about the file: its size, its digests and where else it is.
    private mutating func learn(
        from answer: AcceptedAnswer, _ receiver: SegmentReceiver, in group: inout Errands<Outcome>
    ) throws(DownloadError) {
        resource = Self.resource(of: answer, in: slice)
        if let size = resource?.size { try checkExpected(size) }
        volunteeredDigests = ServerDigests.consistent(receiver.redirectDigests + answer.resource.digests)
        pieces = engine.request.pieces?.digests
        takeUpMirrors(receiver.volunteered)
        askForDescription(receiver.volunteered, in: &group)
    }

    /// Lets the body in.
    ///
    /// - Returns: whether it has come in already, and was gathered without a place.
    private mutating func givePlace(
        to receiver: SegmentReceiver, _ answer: AcceptedAnswer, _ opening: TransferScheduler.Opening
    ) -> Bool {
        if let part, receiver.place(in: part) { return true }
        if let writer = writer(at: opening.answer.lowerBound) {
            _ = receiver.moveHorizon(to: scheduler.horizon)
            receiver.admit(answer, to: writer, until: opening.answer.upperBound)
        }
        return false
    }

    /// Least size of what is no page, whatever its media type: busybox says text/html of every part.
    private static var noPage: Int64 { 4 << 20 }

    /// A page of HTML under a name that promises something else may be a login or an apology.
    private func warnOfPage(_ resource: RemoteResource) {
        guard let mediaType = resource.mediaType, mediaType == "text/html", let name = paths?.final,
            resource.size ?? 0 < Self.noPage
        else { return }
        let suffix = name.split(separator: "/").last?.split(separator: ".").dropFirst().last?.lowercased()
        guard let suffix, !["html", "htm", "xhtml", "php", "asp", "aspx", "jsp"].contains(suffix) else { return }
        engine.sink.events.yield(.notice("the server sent a page of HTML where .\(suffix) was expected"))
    }

    /// Most bytes of one request: nil unless something is won by asking again and again.
    private var maximumShare: Int64? {
        let least = engine.splitPolicy.minimumSplit
        if sources.hasAlternatives || awaitsDescription {
            // Who comes in later, or is faster, gets its part as the others finish theirs.
            return max(least, min(32 << 20, (resource?.size ?? 0) / Int64(8 * engine.splitPolicy.connections)))
        }
        // A digest is computed from the front: small shares keep the front close behind the last byte.
        return hashedAlgorithms.isEmpty ? nil : max(16 << 20, least)
    }

    /// Whether a file fits into one block: then calls on it are short enough for the thread that decides.
    private func isSmall(_ size: Int64?) -> Bool { size.map { $0 <= Int64(SegmentWriter.blockLength) } ?? false }

    func name(for resource: RemoteResource) -> String {
        let directory: String
        switch engine.request.destination {
        case .file(let path): return path
        case .descriptor: return SuggestedName.fallback
        case .directory(let path): directory = path
        }
        return DownloadPaths.joined(
            directory,
            SuggestedName.choose(
                contentDisposition: resource.contentDisposition, path: engine.url.path,
                finalPath: sources[sources.primary].finalURL.path))
    }

    /// Why what an earlier run left can't be used with this answer, nil if it can.
    private func reasonToStartOver(_ answer: AcceptedAnswer, _ refusal: AnswerRefusal?) -> String? {
        guard let inherited else { return nil }
        if case .wholeBody = refusal { return "the server does not serve ranges" }
        if !answer.isPartial { return "the server does not serve ranges" }
        if let size = answer.resource.size, size != inherited.header.size { return "its size is another one now" }
        // At another address tags and dates mean nothing; samples were compared.
        guard sources.primary == 0, inherited.header.isOf(engine.url) else { return nil }
        let known = EntityValidators(
            entityTag: inherited.header.entityTag, lastModified: inherited.header.lastModified)
        return known.contradicts(answer.resource.validators)
    }

    private mutating func forgetInherited() async throws(DownloadError) {
        guard inherited != nil else { return }
        inherited = nil
        do throws(SystemError) { try await store?.startOver() } catch { throw DownloadError(error) }
    }

    private func opening(_ answer: AcceptedAnswer, on slot: Int) -> TransferScheduler.Opening {
        let finished = ByteRangeSet(inherited?.finished.map(\.range) ?? [ByteRange(0, passed.length)])
        let wanted = scheduler.flights[slot]?.range ?? ByteRange(0, .max)
        let goesOn = inherited != nil || passed.length > 0
        let start = goesOn ? max(answer.start, wanted.lowerBound) : max(0, answer.start)
        // A whole body is taken as it comes; of a part only what was asked for.
        let limit = answer.isPartial && inherited != nil ? min(answer.end ?? .max, wanted.upperBound) : answer.end
        let end = min(limit ?? resource?.size ?? .max, resource?.size ?? .max, slice.longest)
        return TransferScheduler.Opening(
            size: resource?.size, longest: slice.longest, answer: ByteRange(start, max(start, end)),
            finished: finished,
            // Who sends more than was asked for does not cut anything.
            acceptsRanges: answer.isPartial && answer.end ?? .max <= wanted.upperBound,
            maximumShare: maximumShare)
    }

    private mutating func announce(_ opening: TransferScheduler.Opening) {
        resumedBytes = opening.finished.total
        engine.sink.events.yield(
            .started(path: paths?.final ?? "", total: opening.size, resumed: opening.finished.total))
    }

    /// Smallest file for which room is reserved: 1 MiB.
    private static var leastReserved: Int64 { 1 << 20 }

    /// Creates the partial, sees that there is room, and begins the journal.
    private mutating func prepareFiles(for answer: AcceptedAnswer) async throws(DownloadError) {
        guard let store, let resource else { return }
        do throws(SystemError) {
            let part = try await store.perform { (store) throws(SystemError) in try store.create() }
            self.part = part
            part.serialisesWrites = sources.sources.contains { $0.url.isSecure || $0.finalURL.isSecure }
            // The first write finds out as well whether there is room for a small file.
            if resource.size ?? .max > Self.leastReserved { try await store.reserve(size: resource.size) }
            let keeping = inherited?.finished ?? []
            let size = resource.size ?? .max
            // A file that one request brings needs no journal: it would cost more than fetching again.
            if answer.isPartial, size > engine.splitPolicy.journalCutoff || !keeping.isEmpty {
                try await store.startJournal(journalHeader(resource), keeping: keeping)
                isUnjournaled = false
            } else {
                isUnjournaled = answer.isPartial && resource.size != nil
            }
            written = keeping
            recorded = ByteRangeSet(keeping.map(\.range))
            if engine.options.verifiesContent || !keeping.isEmpty || !expectedDigests.isEmpty || pieces != nil {
                checkedAlgorithms = hashedAlgorithms
                let check = ContentCheck(
                    part: part, digests: checkedAlgorithms,
                    thread: isSmall(size) ? engine.threads.run : engine.threads.check,
                    startsWriteback: engine.options.syncsBeforePublishing && size > engine.splitPolicy.journalCutoff,
                    followsFront: !isSmall(size))
                check.add(keeping)
                self.check = check
            }
        } catch {
            // A file without a byte would only stand in the way.
            if inherited == nil, part != nil { try? await store.discard() }
            throw DownloadError(error)
        }
    }

    /// First 8 bytes of the query's SHA-256: it tells whether two queries are the same, and holds no token.
    var queryHash: UInt64? {
        guard let query = engine.url.query,
            let digest = try? MessageDigest.digest(.sha256, of: Array(query.utf8).span.bytes)
        else { return nil }
        return digest.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    func journalHeader(_ resource: RemoteResource) -> JournalHeader {
        header(resource.validators, size: resource.size, mediaType: resource.mediaType)
    }

    /// What a journal says about this download.
    func header(_ validators: EntityValidators, size: Int64?, mediaType: String?) -> JournalHeader {
        var header = JournalHeader(
            url: engine.url, queryHash: queryHash, size: size, entityTag: validators.entityTag?.text,
            lastModified: validators.lastModified, mediaType: mediaType)
        guard !slice.isWhole else { return header }
        header.firstByte = slice.lowerBound
        header.wholeSize = slice.wholeSize
        return header
    }
}
