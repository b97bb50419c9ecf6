/// What a part of a metalink led to.
package enum MetalinkFinding: Hashable, Sendable {
    /// A file that can be fetched.
    case file(MetalinkFile)
    /// A file that can't be fetched, and why.
    case unusable(line: Int, reason: String)
    /// Something that was passed over.
    case warning(line: Int, reason: String)
}
