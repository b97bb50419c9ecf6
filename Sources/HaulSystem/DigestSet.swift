import HaulCore

/// Several digests of the same bytes.
struct DigestSet {
    /// A digest cannot be copied, and what cannot be copied does not go into an array.
    private final class Box {
        var digest: MessageDigest

        init(_ digest: consuming MessageDigest) { self.digest = digest }
    }

    private var boxes: [Box] = []

    /// Begins the digests.
    ///
    /// - Throws: an error if one of them is not to be had.
    init(_ algorithms: [ContentDigest.Algorithm]) throws(SystemError) {
        for algorithm in algorithms { boxes.append(Box(try MessageDigest(algorithm))) }
    }

    /// Makes digests that go on from where `other` is.
    ///
    /// - Throws: an error if memory is short.
    init(copying other: DigestSet) throws(SystemError) {
        for box in other.boxes { boxes.append(Box(try MessageDigest(copying: box.digest))) }
    }

    /// Adds bytes to all digests.
    func update(_ bytes: UnsafeRawBufferPointer) {
        for box in boxes { unsafe box.digest.update(bytes) }
    }

    /// The digests of what was added so far.
    ///
    /// - Throws: an error if memory is short.
    func values() throws(SystemError) -> [ContentDigest] {
        var values: [ContentDigest] = []
        for box in boxes { values.append(try box.digest.value()) }
        return values
    }
}
