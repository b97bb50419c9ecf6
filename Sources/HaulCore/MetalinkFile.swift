/// One file that a metalink describes (RFC 5854 §4.1.2).
package struct MetalinkFile: Hashable, Sendable {
    /// Line of the document where it begins, from 1.
    package var line: Int
    /// Its name as the publisher gives it, which may do harm.
    package var name: String
    /// Its size in bytes; nil if it is not given.
    package var size: Int64?
    /// Digests of the whole, of the kinds that haul computes.
    package var digests: [ContentDigest] = []
    /// Digests of its pieces.
    package var pieces: PieceDigests?
    /// Its http and https addresses, the publisher's favourite first.
    package var urls: [String] = []

    /// Makes a file of which only the name is known.
    package init(name: String, line: Int) {
        self.name = name
        self.line = line
    }
}
