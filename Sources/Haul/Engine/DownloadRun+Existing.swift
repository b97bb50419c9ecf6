import HaulCore
import HaulSystem

extension DownloadRun {
    /// Looks at the file that may already have the final name.
    ///
    /// - Returns: a receipt if it is the finished download; nil if there is none, or it will be replaced.
    /// - Throws: `outputExists` if it is something else.
    mutating func existingFile(at path: String) async throws(DownloadError) -> DownloadReceipt? {
        let facts: FileFacts?
        do throws(SystemError) { facts = try FileFacts.of(path) } catch { throw DownloadError(error) }
        guard let facts else { return nil }
        if facts.isDirectory {
            throw DownloadError(.outputExists, "'\(path)' is a directory: give a file name, or the directory with -d")
        }
        // A rename would end it for everybody who uses it, /dev/null for one, or the link /dev/stdout.
        let target = facts.isLink ? (try? FileFacts.following(path)) ?? nil : facts
        guard target.map({ $0.isRegular || $0.isDirectory }) ?? facts.isLink else {
            throw DownloadError(
                .outputExists,
                "'\(path)' is a device, pipe or socket, which no file replaces: give another name, "
                    + "or write into it with -o - and the shell's >")
        }
        switch engine.request.existing {
        case .replace, .resume: return nil
        case .refuse: throw outputExists(path, "it exists")
        case .trust, .verify:
            if let expected = engine.request.expectedSize, facts.size != expected {
                throw outputExists(path, "it has \(facts.size) bytes, not \(expected)")
            }
        }
        switch engine.request.existing {
        case .replace, .refuse, .resume: return nil
        case .trust: return complete(path, facts, verified: [])
        case .verify: break
        }
        if !engine.request.checksums.isEmpty {
            guard facts.isRegular else { throw outputExists(path, "it is no regular file") }
            let wanted = engine.request.checksums.map(\.digest)
            guard let digests = try await digests(of: path, wanted.map(\.algorithm)) else { throw .cancelledKeeping }
            guard wanted.allSatisfy({ digests.contains($0) }) else {
                throw outputExists(path, "it has another checksum")
            }
            return complete(path, facts, verified: wanted.map(\.algorithm.rawValue))
        }
        if let pieces = engine.request.pieces?.digests, facts.isRegular, pieces.cover(facts.size) {
            guard let bad = try await wrong(among: pieces, of: path, size: facts.size) else { throw .cancelledKeeping }
            guard bad.isEmpty else { throw outputExists(path, "pieces of it have other checksums") }
            return complete(path, facts, verified: ["\(pieces.algorithm.rawValue) of every piece"])
        }
        guard facts.isRegular else { throw outputExists(path, "it is no regular file") }
        return complete(path, facts, verified: [try await comparedWithServer(path, facts)])
    }

    private func outputExists(_ path: String, _ reason: String, mayGoOn: Bool = false) -> DownloadError {
        let advice = mayGoOn ? "use --adopt '\(path)' to go on from it, --force" : "use --force"
        return DownloadError(
            .outputExists, "'\(path)' is there already (\(reason)): \(advice) to overwrite it, or another name")
    }

    private func complete(_ path: String, _ facts: FileFacts, verified: [String]) -> DownloadReceipt {
        var receipt = DownloadReceipt(path: path, bytes: facts.size)
        receipt.wasComplete = true
        receipt.verified = verified
        receipt.duration = now - startedAt
        receipt.requests = Int(sender.requests.value)
        return receipt
    }

    /// Digests of a file; nil if the task was cancelled.
    func digests(
        of path: String, _ algorithms: [ContentDigest.Algorithm]
    ) async throws(DownloadError) -> [ContentDigest]? {
        do throws(SystemError) {
            return try await FileDigests(thread: engine.threads.check).digests(of: path, algorithms)
        } catch {
            throw DownloadError(error)
        }
    }

    /// Compares size, date and samples of a file with what the server has.
    ///
    /// - Returns: what was compared.
    /// - Throws: `outputExists` if something differs.
    private mutating func comparedWithServer(_ path: String, _ facts: FileFacts) async throws(DownloadError) -> String {
        // A batch that is run again asks this of each small file: a part of it tells as much as the whole.
        let first = ByteRange(0, min(Self.overlapLength, max(1, min(facts.size, max(1024, facts.size / 64)))))
        let (answer, bytes) = try await sample(first, size: nil)
        guard let size = answer.resource.size else {
            return try await comparedWithUnsized(
                path, facts, answer, (first.clamped(to: ByteRange(0, facts.size)), bytes))
        }
        guard size == facts.size else {
            // What another tool left is a beginning more often than something else.
            let isShorter = facts.size > 0 && facts.size < size
            throw outputExists(path, "its size is not the server's", mayGoOn: isShorter && slice.isWhole)
        }
        let date = answer.resource.lastModified
        if let date, date != facts.modificationTime { throw outputExists(path, "its date is not the server's") }
        var blocks = [(first.clamped(to: ByteRange(0, facts.size)), bytes)]
        if date == nil || !slice.isWhole, answer.isPartial {
            for range in SampleBlocks(size: facts.size, seed: engine.seed).ranges {
                blocks.append((range, try await sample(range, size: facts.size).bytes))
            }
        }
        guard try isSame(path, blocks) else { throw outputExists(path, "its content is not the server's") }
        return date == nil ? "size and samples" : "size, date and samples"
    }

    /// Most bytes that are compared to the last although a date vouches for them: 1 MiB.
    private static var fullyCompared: Int64 { 1 << 20 }

    /// Compares a file with one whose size its server does not say: the date and the beginning, or every byte.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - facts: what it is.
    ///   - answer: what the server told.
    ///   - beginning: the first bytes that it sent, and where they belong.
    /// - Returns: what was compared.
    /// - Throws: `outputExists` if something differs.
    private mutating func comparedWithUnsized(
        _ path: String, _ facts: FileFacts, _ answer: AcceptedAnswer, _ beginning: (ByteRange, [UInt8])
    ) async throws(DownloadError) -> String {
        // A part of it is no shorter than another for all that the server says.
        guard slice.isWhole else { throw outputExists(path, "the server does not say how large its file is") }
        let date = answer.resource.lastModified
        if let date, date != facts.modificationTime { throw outputExists(path, "its date is not the server's") }
        guard try isSame(path, [beginning]) else { throw outputExists(path, "its content is not the server's") }
        if facts.size > Self.fullyCompared {
            guard date == nil else { return "date and samples" }
            engine.sink.events.yield(
                .notice("the server says neither size nor date of its file: comparing all of it with '\(path)'"))
        }
        let onHand: BlockReceiver.OnHand = { try? FileFacts.read(path, $0) }
        let isWhole = try await Sampler(engine: engine, sender: sender).isWhole(
            facts.size, onHand, at: sources[sources.primary].url, on: transportSlot(0))
        guard isWhole else { throw outputExists(path, "its content is not the server's") }
        return "every byte"
    }

    private func isSame(_ path: String, _ blocks: [(ByteRange, [UInt8])]) throws(DownloadError) -> Bool {
        do throws(SystemError) {
            for (range, bytes) in blocks {
                if try FileFacts.read(path, range) != bytes { return false }
            }
            return true
        } catch {
            throw DownloadError(error)
        }
    }

    /// Fetches a small range from the source whose word counts.
    ///
    /// One that can't be reached or refuses for good is dropped as in a transfer, and the next takes its place.
    ///
    /// - Parameters:
    ///   - range: what is wanted.
    ///   - size: size of the file, nil if unknown; another one is a failure.
    ///   - mediaType: media type of the file, nil if unknown; a page of HTML in its place is a failure.
    /// - Returns: what the source that is the primary one now answered, and the bytes.
    /// - Throws: what the answer was refused for; if nobody answers, what was wrong with the first that was asked.
    mutating func sample(
        _ range: ByteRange, size: Int64?, mediaType: String? = nil
    ) async throws(DownloadError) -> Sampler<Network>.Block {
        var first: DownloadError?
        while true {
            let index = sources.primary
            do throws(DownloadError) {
                return try await Sampler(engine: engine, sender: sender).block(
                    range, size: size, mediaType: mediaType, at: sources[index].url, on: transportSlot(0),
                    retries: sources.hasAlternatives ? SourceList.patience - 1 : nil)
            } catch {
                guard isOfSource(error) else { throw error }
                let told = first ?? error
                guard giveUp(index, because: Self.reason(error)) else { throw told }
                first = told
            }
        }
    }

    /// Whether an error says that its source is out of use, and nothing about the file.
    private func isOfSource(_ error: DownloadError) -> Bool {
        switch error.code {
        case .unreachable, .tls: return true
        case _ where error.code == .refused(status: 416): return false
        default:
            guard let status = error.code.status, status > 0 else { return false }
            // Whoever has a partial and can ask for a fresh address does that first.
            let mayExpire = engine.request.refresh != nil && store != nil && sources.primary == 0
            return !(mayExpire && RetryPolicy().mayMeanExpiredAddress(status: status))
        }
    }
}
