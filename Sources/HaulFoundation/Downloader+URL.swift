public import Foundation
public import Haul

extension Downloader {
    /// Fetches one file.
    ///
    /// Cancelling the calling task cancels the download and keeps what was received. An equal request under way is the
    /// same transfer, and goes on if it is paused.
    ///
    /// - Parameters:
    ///   - url: http or https address.
    ///   - file: the finished file's place, a file URL.
    ///   - checksum: what the publisher says the file's digest is.
    ///   - options: how.
    /// - Returns: what it came to.
    /// - Throws: why it did not end in a finished file.
    public func download(
        from url: URL, to file: URL, expecting checksum: Checksum? = nil, options: DownloadOptions = DownloadOptions()
    ) async throws(DownloadError) -> DownloadReceipt {
        try await download(DownloadRequest(url, to: file, expecting: checksum), options: options)
    }

    /// Starts fetching one file.
    ///
    /// - Parameters:
    ///   - url: http or https address.
    ///   - file: the finished file's place, a file URL.
    ///   - checksum: what the publisher says the file's digest is.
    ///   - options: how.
    /// - Returns: the download under way; a malformed request fails through its `receipt`.
    public func start(
        from url: URL, to file: URL, expecting checksum: Checksum? = nil, options: DownloadOptions = DownloadOptions()
    ) -> Download {
        start(DownloadRequest(url, to: file, expecting: checksum), options: options)
    }

    /// Says what an unfinished download has left, without touching it.
    ///
    /// - Parameters:
    ///   - file: the finished file, the partial or the journal.
    ///   - temporaryDirectory: where the partial is, if it is not beside the finished file.
    /// - Returns: what there is; nil if there is no partial.
    /// - Throws: `DownloadError` with code `fileSystem` when it can't be read.
    public func status(of file: URL, temporaryDirectory: URL? = nil) throws(DownloadError) -> PartialDownload? {
        try status(of: file.filePath(), temporaryDirectory: temporaryDirectory?.filePath())
    }

    /// Lists the partials in a directory, with what they hold, without touching them.
    ///
    /// - Parameter directory: where partials are.
    /// - Returns: the partials, by name.
    /// - Throws: `DownloadError` with code `fileSystem` when the directory can't be read.
    public func unfinished(in directory: URL) throws(DownloadError) -> [PartialDownload] {
        try unfinished(in: directory.filePath())
    }

    /// Reads a file and compares it with what its publisher says.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - checksums: digests that it must have.
    /// - Returns: the digests that were compared; all of them hold.
    /// - Throws: `DownloadError` with code `integrity` when one does not hold, `fileSystem` when the file can't be read.
    public func verify(_ file: URL, against checksums: [Checksum]) async throws(DownloadError) -> [Checksum] {
        try await verify(file.filePath(), against: checksums)
    }
}
