/// A set of fingerprints that takes little room: 8 bytes for each place, at most half of them used.
///
/// Two texts that share 63 of the seeded bits are taken for one: among a million, once in ten million sets.
struct FingerprintTable: Sendable {
    /// 0 is a free place; removed ones stay taken until the table grows.
    private var places: [UInt64]
    private(set) var count = 0
    private var used = 0

    private static let removed: UInt64 = 1

    /// Makes an empty table.
    init() { places = [UInt64](repeating: 0, count: 64) }

    /// Whether one was added.
    func contains(_ fingerprint: Fingerprint) -> Bool {
        let word = Self.word(fingerprint)
        var index = Self.start(word, places.count)
        while places[index] != 0 {
            if places[index] == word { return true }
            index = (index + 1) & (places.count - 1)
        }
        return false
    }

    /// Adds one.
    ///
    /// - Returns: whether it was not there.
    mutating func insert(_ fingerprint: Fingerprint) -> Bool {
        let word = Self.word(fingerprint)
        var index = Self.start(word, places.count)
        var free: Int?
        while places[index] != 0 {
            if places[index] == word { return false }
            if places[index] == Self.removed, free == nil { free = index }
            index = (index + 1) & (places.count - 1)
        }
        places[free ?? index] = word
        count += 1
        if free == nil { used += 1 }
        if used * 2 > places.count { grow() }
        return true
    }

    /// Removes one.
    mutating func remove(_ fingerprint: Fingerprint) {
        let word = Self.word(fingerprint)
        var index = Self.start(word, places.count)
        while places[index] != 0 {
            if places[index] == word {
                places[index] = Self.removed
                count -= 1
                return
            }
            index = (index + 1) & (places.count - 1)
        }
    }

    private mutating func grow() {
        var larger = [UInt64](repeating: 0, count: count * 4 > places.count ? places.count * 2 : places.count)
        for word in places where word > Self.removed {
            var index = Self.start(word, larger.count)
            while larger[index] != 0 { index = (index + 1) & (larger.count - 1) }
            larger[index] = word
        }
        places = larger
        used = count
    }

    private static func word(_ fingerprint: Fingerprint) -> UInt64 { max(fingerprint.word, removed + 1) }

    /// Fingerprints are hashes already: any of their bits will do.
    private static func start(_ word: UInt64, _ count: Int) -> Int { Int(truncatingIfNeeded: word >> 7) & (count - 1) }
}
