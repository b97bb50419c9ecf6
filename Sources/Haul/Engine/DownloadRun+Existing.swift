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
        case .refuse: throw outputExists(path, "it exists")
        case .trust: return complete(path, facts, verified: [])
        case .verify: break
        }
        if !engine.request.checksums.isEmpty {
            guard facts.isRegular else { throw outputExists(path, "it is no regular file") }
            guard let digests = try await digests(of: path) else { throw .cancelledKeeping }
            let wanted = engine.request.checksums.map(\.digest)
            guard wanted.allSatisfy({ digests.contains($0) }) else {
                throw outputExists(path, "it has another checksum")
            }
            return complete(path, facts, verified: wanted.map(\.algorithm.rawValue))
        }
        guard facts.isRegular else { throw outputExists(path, "it is no regular file") }
        if let difference = try await differenceFromServer(path, facts) { throw outputExists(path, difference) }
        return complete(path, facts, verified: ["size, date and samples"])
    }

    private func outputExists(_ path: String, _ reason: String) -> DownloadError {
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
        if answer.resource.lastModified == nil || !slice.isWhole, answer.isPartial {
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

    /// Fetches a small range from the address that was asked for.
    func sample(_ range: ByteRange, size: Int64?) async throws(DownloadError) -> Sampler<Network>.Block {
        try await Sampler(engine: engine, sender: sender).block(range, size: size, at: engine.url, on: transportSlot(0))
    }
}
