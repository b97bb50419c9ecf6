import HaulCore

/// What answers said about other places of the file, with the address that each word came from (RFC 6249).
struct VolunteeredMirrors: Hashable, Sendable {
    /// Most copies that are taken up.
    static let most = 16
    /// Smallest file for which copies are taken up: comparing each costs up to half a megabyte.
    static let leastSize: Int64 = 16 << 20

    /// The links of one answer.
    private struct Word: Hashable, Sendable {
        let base: ResourceURL
        let links: MirrorLinks
    }

    private var words: [Word] = []

    /// Takes note of an answer's links.
    ///
    /// - Parameters:
    ///   - links: what it said.
    ///   - base: the address that it came from.
    mutating func add(_ links: MirrorLinks, from base: ResourceURL) {
        if links != MirrorLinks() { words.append(Word(base: base, links: links)) }
    }

    /// Addresses of copies, in order.
    ///
    /// - Parameter parse: resolves a reference; nil for what can't be fetched.
    /// - Returns: what is left of them.
    func copies(_ parse: (String, ResourceURL) -> ResourceURL?) -> [ResourceURL] {
        words.flatMap { word in word.links.duplicates.compactMap { parse($0, word.base) } }
    }

    /// The address of a metalink that describes the file.
    ///
    /// - Parameter parse: resolves a reference; nil for what can't be fetched.
    /// - Returns: nil if there is none.
    func description(_ parse: (String, ResourceURL) -> ResourceURL?) -> ResourceURL? {
        words.flatMap { word in word.links.descriptions.compactMap { parse($0, word.base) } }.first
    }
}
