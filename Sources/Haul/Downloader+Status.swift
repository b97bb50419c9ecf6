import HaulCore
import HaulSystem

extension Downloader {
    /// Says what an unfinished download has left, without touching it.
    ///
    /// Safe while the download is under way.
    ///
    /// - Parameters:
    ///   - path: path of the finished file, of the partial or of the journal.
    ///   - temporaryDirectory: where the partial is, if it is not beside the finished file.
    /// - Returns: what there is; nil if there is no partial.
    /// - Throws: `DownloadError` with code `fileSystem` when it can't be read.
    public func status(
        of path: String, temporaryDirectory: String? = nil
    ) throws(DownloadError) -> PartialDownload? {
        try PartialDownload.left(at: path, temporaryDirectory: temporaryDirectory)
    }
}

extension PartialDownload {
    /// What a download has left.
    static func left(at path: String, temporaryDirectory: String?) throws(DownloadError) -> PartialDownload? {
        let suffixes = [DownloadPaths.journalSuffix, DownloadPaths.partSuffix]
        let suffix = suffixes.first { path.hasSuffix($0) && path.utf8.count > $0.utf8.count }
        // Who names a partial means that one, whosever it is.
        let paths =
            if let suffix {
                DownloadPaths(final: String(path.dropLast(suffix.count)), temporaryDirectory: temporaryDirectory)
            } else {
                DownloadPaths.located(final: path, temporaryDirectory: temporaryDirectory)
            }
        do throws(SystemError) {
            guard let facts = try FileFacts.of(paths.part) else { return nil }
            var partial = PartialDownload(
                path: paths.final, partialPath: paths.part, modificationTime: facts.modificationTime)
            guard let found = try JournalFile.read(paths.journal) else {
                partial.problem = "there is no journal: the next run begins anew"
                return partial
            }
            partial.journalPath = paths.journal
            let journalTime = try FileFacts.of(paths.journal)?.modificationTime
            partial.modificationTime = max(facts.modificationTime, journalTime ?? 0)
            partial.problem = found.problem.map { "the journal \($0)" }
            if let replay = found.replay { partial.describe(replay, partSize: facts.size) }
            return partial
        } catch {
            throw DownloadError(.fileSystem, error.message, cause: error.cause)
        }
    }

    /// Takes over what a journal says.
    private mutating func describe(_ replay: JournalReplay, partSize: Int64) {
        let header = replay.header
        size = header.size
        entityTag = header.entityTag
        lastModified = header.lastModified
        mediaType = header.mediaType
        hadQuery = header.queryHash != nil
        let isDefault = header.port == (header.scheme == "https" ? 443 : 80)
        url = "\(header.scheme)://\(header.host)\(isDefault ? "" : ":\(header.port)")\(header.path)"
        let counting = replay.finished.map(\.range).filter { $0.upperBound <= partSize }
        if counting.count < replay.finished.count {
            problem = problem ?? "the partial is shorter than its journal says"
        }
        if replay.isUntrustworthy { problem = "its content failed a checksum: the next run begins anew" }
        let set = ByteRangeSet(counting)
        finished = set.total
        ranges = set.ranges.map { $0.lowerBound..<$0.upperBound }
    }
}
