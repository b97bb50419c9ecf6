import HaulCore
import HaulSystem

/// Digests of pieces: they tell which bytes are wrong, so that only those are fetched again.
extension DownloadRun {
    /// Most rounds of fetching bad pieces again.
    private static var mostRounds: Int { 3 }

    /// Compares the pieces with what the publisher says.
    ///
    /// - Parameters:
    ///   - pieces: digests of the pieces.
    ///   - size: size of the file.
    ///   - store: where it is.
    /// - Returns: what to do about bad pieces; nil if all are right.
    /// - Throws: `integrity` when fetching them again does not help, `cancelled`, or what the disk said.
    mutating func verdict(
        on pieces: PieceDigests, size: Int64, in store: DownloadStore
    ) async throws(DownloadError) -> Verdict? {
        guard let bad = try await wrong(among: pieces, of: store.paths.part, size: size) else {
            throw .cancelledKeeping
        }
        guard let first = bad.first else { return nil }
        let bytes = bad.reduce(0) { $0 + $1.length }
        pieceRounds += 1
        let isHopeless = pieceRounds > Self.mostRounds
        try await keepAll(but: bad, size: size, in: store)
        guard !isHopeless else {
            throw DownloadError(
                .integrity,
                "\(bytes) bytes are not what the publisher says, however often they are fetched: the rest is kept, "
                    + "try again later or from another address",
                url: engine.url.redacted, range: first.lowerBound..<first.upperBound)
        }
        engine.sink.events.yield(
            .notice("\(bytes) bytes are not what the publisher says: fetching them again"))
        blameSources(for: bad)
        return .repair(bad)
    }

    /// The pieces of a file that are not what the publisher says; nil if the task was cancelled.
    func wrong(among pieces: PieceDigests, of path: String, size: Int64) async throws(DownloadError) -> [ByteRange]? {
        do throws(SystemError) {
            return try await FileDigests(thread: engine.threads.check).wrong(among: pieces, of: path, size: size)
        } catch {
            throw DownloadError(error)
        }
    }

    /// Gives up the sources that alone have brought a bad piece.
    private mutating func blameSources(for bad: [ByteRange]) {
        for piece in bad {
            let suspects = sources.sources.indices.filter { sources[$0].brought.overlaps(piece) }
            guard suspects.count == 1, let suspect = suspects.first, sources[suspect].standing == .admitted else {
                continue
            }
            giveUp(suspect, because: "its bytes at offset \(piece.lowerBound) are not what the publisher says")
        }
        for index in sources.sources.indices {
            for piece in bad { sources[index].brought.remove(piece) }
        }
    }

    /// Gives up the bytes of bad pieces; what lies beside them stays, with checksums of what is on disk: that was right.
    private mutating func keepAll(
        but bad: [ByteRange], size: Int64, in store: DownloadStore
    ) async throws(DownloadError) {
        var kept: [FinishedRange] = []
        let window = [FinishedRange].joiningWindow
        do throws(SystemError) {
            for range in ByteRangeSet(bad).gaps(in: ByteRange(0, size)) {
                var start = range.lowerBound
                while start < range.upperBound {
                    if Task.isCancelled { return }
                    let end = min(range.upperBound, (start / window + 1) * window)
                    kept.append(try await store.checksum(ByteRange(start, end)))
                    start = end
                }
            }
            try await store.keepOnly(kept)
        } catch {
            throw DownloadError(error)
        }
        check?.reset()
        check?.add(kept)
        written = kept
        recorded = ByteRangeSet(kept.map(\.range))
    }
}
