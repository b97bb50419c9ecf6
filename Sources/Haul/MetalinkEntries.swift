import HaulCore

/// The files of a metalink, in its order, read as they are asked for.
///
/// Each iteration reads the metalink anew.
public struct MetalinkEntries: AsyncSequence, Sendable {
    /// What `next()` returns.
    public typealias Element = MetalinkEntry
    /// Why a metalink can't be read, or not to its end, or that it names no file.
    ///
    /// `invalidRequest` for a path, `integrity` for an address with such content, and what a download of it would say.
    public typealias Failure = DownloadError

    let downloader: Downloader
    let file: String
    let template: MetalinkTemplate

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(entries: self) }

    /// Reads the metalink.
    public struct Iterator: AsyncIteratorProtocol {
        let entries: MetalinkEntries
        private var document: MetalinkDocument?
        private var hasFile = false

        init(entries: MetalinkEntries) { self.entries = entries }

        /// Reads on to the next file.
        ///
        /// - Returns: nil at the end, or when the calling task is cancelled.
        /// - Throws: why the rest can't be read.
        public mutating func next() async throws(DownloadError) -> MetalinkEntry? { try await next(isolation: nil) }

        /// Reads on to the next file, in an actor.
        ///
        /// - Parameter actor: where the caller runs.
        /// - Returns: nil at the end, or when the calling task is cancelled.
        /// - Throws: why the rest can't be read.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(DownloadError) -> MetalinkEntry? {
            let document: MetalinkDocument
            if let known = self.document {
                document = known
            } else {
                document = try await entries.downloader.openMetalink(entries.file, entries.template)
                self.document = document
            }
            if let finding = try await document.next() {
                let entry = entries.downloader.entry(finding, of: document, entries.template)
                if case .notice = entry {} else { hasFile = true }
                return entry
            }
            guard !hasFile, document.isAtEnd else { return nil }
            hasFile = true
            throw DownloadError(
                document.code, "\(document.label): the metalink names no file: check that it is the right one")
        }
    }
}
