import HaulCore
import HaulSystem

/// Going on from what another tool left: a file that holds the beginning of the resource.
extension DownloadRun {
    /// Blocks of the prefix that must agree with the server's.
    private static var comparedBlocks: Int { 16 }

    /// A file that may hold the beginning.
    struct Prefix {
        let path: String
        /// Whether the file is fetched from its beginning if this one can't be used.
        let isOptional: Bool
    }

    /// What lies under a refusal to go on from a prefix: it says nothing against fetching.
    private static var unfit: String { "it is not the beginning of the server's file" }

    /// Takes over another tool's partial, if it can be used.
    ///
    /// - Parameters:
    ///   - prefix: the file.
    ///   - store: where it goes; nothing may be on hand there.
    /// - Throws: why it can't be used, unless it is optional; it is as it was then.
    mutating func adopt(_ prefix: Prefix, into store: DownloadStore) async throws(DownloadError) {
        do throws(DownloadError) {
            try await adopt(prefix.path, into: store)
        } catch {
            guard prefix.isOptional, error.cause == Self.unfit || error.code.status == 416 else { throw error }
            sender.slice = .whole
            try await resolveSlice()
            engine.sink.events.yield(.notice(error.message))
        }
    }

    /// Takes over another tool's partial, if its bytes are the server's.
    ///
    /// Its last bytes and blocks all over it are compared before it is touched. Then it gets the partial's name: from
    /// there on it is a partial like any other, and every byte of it is read back at the end.
    ///
    /// - Parameters:
    ///   - prefix: path of the file.
    ///   - store: where it goes; nothing may be on hand there.
    /// - Throws: why it can't be used; it is as it was then.
    private mutating func adopt(_ prefix: String, into store: DownloadStore) async throws(DownloadError) {
        let size = try sizeOfPrefix(prefix)
        let last = ByteRange(max(0, size - Self.overlapLength), size)
        let first = try await sample(last, size: nil)
        guard let whole = first.answer.resource.size, first.answer.isPartial else {
            throw refusal(of: prefix, because: "the server does not serve ranges of known length")
        }
        guard size <= whole else { throw refusal(of: prefix, because: "it is longer than the server's \(whole) bytes") }
        var blocks: [(range: ByteRange, bytes: [UInt8])] = []
        do throws(SystemError) {
            guard try FileFacts.read(prefix, last) == first.bytes else {
                throw SystemError(refusing: prefix, because: "ends in other bytes than the server's")
            }
            for range in SampleBlocks(size: size, count: Self.comparedBlocks, seed: engine.seed).ranges {
                blocks.append((range, try FileFacts.read(prefix, range)))
            }
        } catch {
            throw error.number == 0
                ? refusal(of: prefix, because: error.detail ?? "it can't be read") : DownloadError(error)
        }
        let primary = sources.primary
        let reason = try await Sampler(engine: engine, sender: sender).refutation(
            of: blocks, size: whole, at: sources[primary].url, on: transportSlot(0))
        if let reason {
            throw refusal(of: prefix, because: reason)
        }
        let validators = first.answer.resource.validators
        sender.slice.wholeSize = first.answer.wholeSize
        let header = header(validators, size: whole, mediaType: first.answer.resource.mediaType)
        let finished = try await takeOver(prefix, size: size, header, into: store)
        inherited = InheritedPartial(header: header, finished: finished, notice: nil)
        sources[primary].validators = validators
        sources[primary].validatorOrigin = sources[primary].url.origin
        comparedHeirs.insert(primary)
    }

    private func sizeOfPrefix(_ prefix: String) throws(DownloadError) -> Int64 {
        let facts: FileFacts?
        do throws(SystemError) { facts = try FileFacts.of(prefix) } catch { throw DownloadError(error) }
        guard let facts else { throw refusal(of: prefix, because: "it does not exist") }
        guard facts.isRegular, facts.size > 0 else {
            throw refusal(of: prefix, because: "it is no regular file with bytes")
        }
        return facts.size
    }

    private func refusal(of prefix: String, because reason: String) -> DownloadError {
        DownloadError(
            .fileSystem, "can't go on from '\(prefix)': \(reason): fetch without --adopt", cause: Self.unfit)
    }

    /// Checksums what is in the prefix, and then gives it the partial's name: an end before leaves it alone.
    private func takeOver(
        _ prefix: String, size: Int64, _ header: JournalHeader, into store: DownloadStore
    ) async throws(DownloadError) -> [FinishedRange] {
        var finished: [FinishedRange] = []
        var position: Int64 = 0
        do throws(SystemError) {
            while position < size, !Task.isCancelled {
                let step = ByteRange(position, min(size, position + (1 << 20)))
                finished.append(try await store.checksum(step, of: prefix))
                position = step.upperBound
            }
            if position == size { try await store.adopt(prefix, header, finished: finished) }
        } catch {
            throw DownloadError(error)
        }
        guard position == size else { throw .cancelledKeeping }
        return finished.joined()
    }
}
