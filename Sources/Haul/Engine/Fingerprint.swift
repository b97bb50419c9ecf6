/// 128 bits that stand for a text, so that a million of them fit into memory.
///
/// Seeded anew in each process: nobody can make two texts that collide.
struct Fingerprint: Hashable, Sendable {
    private let first: Int
    private let second: Int

    /// Half of it.
    var word: UInt64 { UInt64(bitPattern: Int64(first)) }

    /// Computes the fingerprint of texts in order.
    init(_ texts: String...) { self.init(texts) }

    /// Computes the fingerprint of texts in order.
    init(_ texts: [String]) {
        var first = Hasher()
        for text in texts { first.combine(text) }
        // The hasher holds 256 bits of them, of which one number would tell but a quarter.
        var second = first
        second.combine(1)
        self.first = first.finalize()
        self.second = second.finalize()
    }
}
