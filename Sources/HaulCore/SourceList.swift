/// The addresses of one file: which carries the next request, and which are given up.
///
/// The first is the one that was asked for; its validators and its word on the size count. Mirrors come in when their
/// samples agree with what is on hand, carry as many connections each as the others, and are dropped when they fail: by
/// taking over from the slow ones the scheduler then shares the work by speed.
package struct SourceList: Hashable, Sendable {
    /// Every source, the one that was asked for first.
    package private(set) var sources: [DownloadSource]
    /// Index of the source whose word counts.
    package private(set) var primary = 0

    /// Failures in a row, without a byte, after which a source is dropped if another is left.
    package static let patience = 2

    /// Makes a list.
    ///
    /// - Parameters:
    ///   - url: the address that was asked for.
    ///   - mirrors: other addresses of the same file; one that is named twice counts once.
    package init(_ url: ResourceURL, mirrors: [ResourceURL] = []) {
        sources = [DownloadSource(url, standing: .admitted)]
        for mirror in mirrors where !sources.contains(where: { $0.url == mirror }) {
            sources.append(DownloadSource(mirror))
        }
    }

    /// The source at `index`.
    package subscript(index: Int) -> DownloadSource {
        get { sources[index] }
        set { sources[index] = newValue }
    }

    /// A source has another address from now on.
    ///
    /// Validators count for one address; only another query makes no other of it.
    package mutating func readdress(_ index: Int, to url: ResourceURL) {
        let old = sources[index].url
        sources[index].url = url
        sources[index].finalURL = url
        if old.origin != url.origin || old.path != url.path {
            sources[index].validators = nil
            sources[index].validatorOrigin = nil
        }
    }

    /// Whether there is more than one that is not dropped.
    package var hasAlternatives: Bool { sources.count { $0.standing != .dropped } > 1 }

    /// Mirrors that are to be compared next: as many as make the list of those in use `width` long.
    ///
    /// The others wait until one is dropped. Comparing costs bytes, and whoever lists many does not mean all of them.
    ///
    /// - Parameter width: most sources in use at once.
    /// - Returns: their indices, in order.
    package func unknown(upTo width: Int) -> [Int] {
        let inUse = sources.count { $0.standing == .admitted || $0.standing == .inQuestion }
        return Array(sources.indices.filter { sources[$0].standing == .unknown }.prefix(max(0, width - inUse)))
    }

    /// Adds mirrors behind the others; those that are there already stay as they are.
    ///
    /// - Parameters:
    ///   - mirrors: the mirrors, in order.
    ///   - most: longest that the list gets; the rest is left out.
    package mutating func add(_ mirrors: [ResourceURL], upTo most: Int) {
        for mirror in mirrors where !sources.contains(where: { $0.url == mirror || $0.finalURL == mirror }) {
            guard sources.count < most else { return }
            sources.append(DownloadSource(mirror))
        }
    }

    /// Mirrors that are not dropped, in order.
    package var others: [Int] { sources.indices.filter { $0 != primary && sources[$0].standing != .dropped } }

    /// Leaves everything to one source, also one that was dropped.
    package mutating func turn(to index: Int) {
        for other in sources.indices { sources[other].standing = .dropped }
        sources[index].standing = .admitted
        primary = index
    }

    /// Drops all but the one whose word counts.
    ///
    /// - Returns: those that were in use.
    package mutating func dropMirrors() -> [Int] {
        let others = sources.indices.filter { $0 != primary }
        let inUse = others.filter { sources[$0].standing == .admitted }
        for index in others { sources[index].standing = .dropped }
        return inUse
    }

    /// Chooses who carries the next request, and counts it as under way there.
    ///
    /// - Parameters:
    ///   - asksPrimary: whether only the source whose word counts will do.
    ///   - now: time on the engine's clock.
    /// - Returns: its index.
    package mutating func take(asksPrimary: Bool, now: Duration) -> Int {
        let awake = sources.indices.filter { sources[$0].standing == .admitted && sources[$0].heldUntil <= now }
        let usable = awake.filter { sources[$0].active < sources[$0].limit }
        let idlest = (usable.isEmpty ? awake : usable).min { sources[$0].active < sources[$1].active }
        let index = asksPrimary ? primary : idlest ?? primary
        sources[index].active += 1
        return index
    }

    /// Leaves a source alone because its host asks for it, if others can do the work meanwhile.
    ///
    /// - Parameters:
    ///   - index: the source, whose refused request has been returned.
    ///   - moment: until when, on the engine's clock.
    ///   - now: time on the engine's clock.
    /// - Returns: whether another can; if not, everybody has to wait.
    package mutating func hold(_ index: Int, until moment: Duration, now: Duration) -> Bool {
        let canOthers = sources.indices.contains {
            $0 != index && sources[$0].standing == .admitted && sources[$0].heldUntil <= now
        }
        guard canOthers else { return false }
        sources[index].heldUntil = max(sources[index].heldUntil, moment)
        if sources[index].active > 0 { sources[index].limit = sources[index].active }
        return true
    }

    /// A request ended.
    ///
    /// - Parameters:
    ///   - index: who carried it.
    ///   - progressed: whether it brought a byte.
    package mutating func returned(_ index: Int, progressed: Bool) {
        sources[index].active -= 1
        if progressed { sources[index].failures = 0 }
    }

    /// A mirror's samples are being compared.
    package mutating func question(_ index: Int) { sources[index].standing = .inQuestion }

    /// A mirror could not be compared yet: it is looked at again later.
    package mutating func postpone(_ index: Int) {
        if sources[index].standing == .inQuestion { sources[index].standing = .unknown }
    }

    /// A mirror's samples agree.
    package mutating func admit(_ index: Int) {
        if sources[index].standing != .dropped { sources[index].standing = .admitted }
    }

    /// A request failed in a way that says something about the source.
    ///
    /// - Parameters:
    ///   - index: who carried it.
    ///   - isFinal: whether there is no use asking it again.
    ///   - othersLive: whether other requests to it bring bytes, so that it only wants fewer.
    /// - Returns: whether another source goes on with the work, so that the failure counts for nothing.
    package mutating func failed(_ index: Int, isFinal: Bool, othersLive: Bool) -> Bool {
        guard hasAlternatives else { return false }
        if othersLive, !isFinal || index == primary {
            sources[index].limit = max(1, sources[index].active)
            return true
        }
        sources[index].failures += 1
        guard isFinal || sources[index].failures >= Self.patience else { return true }
        return drop(index)
    }

    /// Gives a source up, unless it is the last.
    ///
    /// - Returns: whether it was given up.
    @discardableResult
    package mutating func drop(_ index: Int) -> Bool {
        guard hasAlternatives else { return false }
        sources[index].standing = .dropped
        guard index == primary else { return true }
        // One whose bytes were compared comes first; before anything is on hand any of them begins afresh.
        let heirs = [.admitted, .inQuestion, .unknown].compactMap { (standing: DownloadSource.Standing) in
            sources.indices.first { sources[$0].standing == standing }
        }
        if let heir = heirs.first {
            primary = heir
            sources[heir].standing = .admitted
        }
        return true
    }
}
