/// How a file's bytes follow from its seed.
package enum OriginPattern: Hashable, Sendable {
    /// Each word is a mix of seed and place.
    case mixed
    /// As `mixed`, but every `every`th block of 64 KiB, the first included, follows from another seed.
    ///
    /// Two releases of one thing are alike in this way: samples may miss the difference.
    case altered(every: Int64, seed: UInt64)
    /// One byte throughout, as in an empty disk image: samples of it prove nothing.
    case uniform(UInt8)

    /// Length of the blocks in `altered`.
    package static let block: Int64 = 65_536
}
