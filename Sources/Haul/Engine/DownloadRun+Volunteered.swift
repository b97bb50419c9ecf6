import HaulCore
import HaulMetalink
import HaulSystem

/// Mirrors and digests that the user did not name: from `Link` fields (RFC 6249) and the metalinks that they lead to.
extension DownloadRun {
    /// Longest metalink that is fetched on the way, in bytes.
    private static var descriptionLimit: Int64 { 1 << 20 }

    /// Takes up the copies that a first answer and the redirects before it name.
    ///
    /// Only where a digest that nobody can forge decides at the end, and never from https to http.
    mutating func takeUpMirrors(_ volunteered: VolunteeredMirrors) {
        // By itself: a method of the run would take the whole of it along.
        let network = engine.network
        takeUp(volunteered.copies { try? network.parse($0, relativeTo: $1) })
    }

    private mutating func takeUp(_ copies: [ResourceURL]) {
        guard takesMirrors, isVouchedByDigest else { return }
        sources.add(copies.filter(isAllowed), upTo: mostSources)
    }

    /// Whether other places of the file could be of use.
    private var takesMirrors: Bool {
        slice.isWhole && !isStream && engine.splitPolicy.connections > 1 && resource?.acceptsRanges == true
            && resource?.size ?? 0 >= VolunteeredMirrors.leastSize
    }

    /// Whether digests are known that nobody can forge.
    private var isVouchedByDigest: Bool {
        expectedDigests.contains { $0.algorithm.resistsForgery } || pieces?.algorithm.resistsForgery == true
    }

    /// Longest that the list of sources gets, by whatever answers name: each has a slot for its samples.
    private var mostSources: Int { 1 + engine.mirrors.count + VolunteeredMirrors.most }

    private func isAllowed(_ url: ResourceURL) -> Bool { url.isSecure || !engine.url.isSecure }

    private func resolved(_ reference: String, _ base: ResourceURL) -> ResourceURL? {
        try? engine.network.parse(reference, relativeTo: base)
    }

    // MARK: - Metalinks that describe the file

    /// Fetches the metalink that answers name, if it can add anything.
    mutating func askForDescription(_ volunteered: VolunteeredMirrors, in group: inout Errands<Outcome>) {
        guard slice.isWhole, !isStream, let size = resource?.size, size > engine.splitPolicy.journalCutoff,
            takesMirrors || !isVouchedByDigest, let url = volunteered.description(resolved), isAllowed(url)
        else { return }
        awaitsDescription = true
        let (engine, sender) = (engine, sender)
        let slot = sourceSlot(mostSources)
        group.addTask {
            let sampler = Sampler(engine: engine, sender: sender)
            let range = ByteRange(0, Self.descriptionLimit + 1)
            do throws(DownloadError) {
                let bytes = try await sampler.block(range, size: nil, at: url, on: slot).bytes
                return .described(try Self.files(of: bytes, url))
            } catch {
                return .notDescribed("the metalink that the server names is of no use: \(error.message)")
            }
        }
    }

    private static func files(of bytes: [UInt8], _ url: ResourceURL) throws(DownloadError) -> [MetalinkFile] {
        guard bytes.count <= descriptionLimit else {
            throw DownloadError(.integrity, "\(url.redacted): longer than 1 MiB")
        }
        do throws(MetalinkProblem) {
            var parser = try MetalinkParser()
            var findings = parser.take(bytes.span.bytes)
            findings += parser.finish()
            if let problem = parser.problem { throw problem }
            return findings.compactMap { if case .file(let file) = $0 { file } else { nil } }
        } catch {
            throw DownloadError(.integrity, "\(url.redacted):\(max(1, error.line)): \(error.reason)")
        }
    }

    /// Takes up what a metalink says about this file: digests that nobody gave, pieces and mirrors.
    mutating func described(by files: [MetalinkFile]) {
        let fitting = files.filter { $0.size == nil || $0.size == scheduler.size }
        let name = SuggestedName.fromPath(engine.url.path)
        guard scheduler.isTransferring,
            let file = fitting.count == 1 ? fitting.first : fitting.first(where: { $0.name == name })
        else { return }
        for digest in file.digests where !expectedDigests.contains(where: { $0.algorithm == digest.algorithm }) {
            volunteeredDigests.append(digest)
        }
        if pieces == nil, let found = file.pieces, scheduler.size.map(found.cover) == true { pieces = found }
        takeUp(file.urls.compactMap { resolved($0, engine.url) })
    }
}
