import HaulTestSupport

/// One file as kernel and disk see it: what reads give, and every content that a power cut may leave.
///
/// The disk writes sectors of 512 bytes whole, in any order, whenever it likes; a sync that succeeds settles them. After
/// a failed one the kernel takes what is in memory for written, so that later syncs settle only what was written since.
struct ModelFile: Sendable {
    /// Bytes that a disk writes whole or not at all.
    static let sectorLength = 512

    /// What a sector may hold.
    private enum Version: Sendable {
        /// Nothing was ever written there.
        case zeros
        /// What the block held when it belonged to another file.
        case stale
        case bytes([UInt8])
    }

    /// What may be on the disk in one place, oldest first.
    private struct History<Value: Sendable>: Sendable {
        var values: [Value]
        /// Whether a sync that succeeds settles it: something was written since the last one, successful or not.
        var isDirty = true

        mutating func settle(_ succeeded: Bool) {
            if succeeded, isDirty { values = Array(values.suffix(1)) }
            isDirty = false
        }
    }

    /// What was settled when a sync began.
    struct Checkpoint: Sendable {
        fileprivate let file: ModelFile
    }

    /// What reads give.
    private(set) var cache: [UInt8]
    /// What the disk holds where no history says otherwise.
    private var base: [UInt8]
    private var sectors: [Int: History<Version>] = [:]
    private var sizes: History<Int>
    private var modes: History<UInt32>
    /// Modification times, nil for the time of the last write.
    private var times: History<Int64?>

    /// Makes an empty file that the disk knows nothing of.
    init() {
        cache = []
        base = []
        sizes = History(values: [0])
        modes = History(values: [0o600])
        times = History(values: [nil])
    }

    /// Makes a file that is on the disk.
    init(_ content: DiskState.File) {
        cache = content.bytes
        base = content.bytes
        sizes = History(values: [content.bytes.count], isDirty: false)
        modes = History(values: [content.mode], isDirty: false)
        times = History(values: [content.modificationTime], isDirty: false)
    }

    // MARK: - Changes

    /// pwrite(2).
    mutating func write(_ bytes: [UInt8], at offset: Int) {
        guard !bytes.isEmpty else { return }
        let end = offset + bytes.count
        if end > cache.count { grow(to: end) }
        // Before the bytes: a sector that never was on the disk may be any of what a fresh block holds.
        let touched = offset / Self.sectorLength...(end - 1) / Self.sectorLength
        for sector in touched { open(sector, mayBeStale: true) }
        Self.copy(bytes, to: &cache, at: offset)
        for sector in touched { note(sector) }
        // Writing the end anew tells the disk the size again, should a failed sync have lost it.
        if end == cache.count, sizes.values.count > 1 {
            sizes.values.append(end)
            sizes.isDirty = true
        }
        note(time: nil)
    }

    /// ftruncate(2).
    mutating func resize(_ size: Int) {
        if size > cache.count { return grow(to: size) }
        let old = cache.count
        cache.removeSubrange(size...)
        sizes.values.append(size)
        sizes.isDirty = true
        // What is cut off reads as zeros if the file grows again, or as it was if the cut is lost.
        guard old > size else { return }
        for sector in size / Self.sectorLength...(old - 1) / Self.sectorLength {
            open(sector, mayBeStale: true)
            note(sector)
        }
        note(time: nil)
    }

    /// fallocate(2): blocks without content, which read as zeros for certain.
    mutating func allocate(_ size: Int) { if size > cache.count { grow(to: size) } }

    /// fallocate(2) with FALLOC_FL_PUNCH_HOLE.
    mutating func punchHole(_ range: Range<Int>) {
        let range = range.clamped(to: 0..<cache.count)
        write([UInt8](repeating: 0, count: range.count), at: range.lowerBound)
    }

    /// fchmod(2).
    mutating func setMode(_ mode: UInt32) {
        modes.values.append(mode)
        modes.isDirty = true
    }

    /// futimens(3), or the time of a write.
    mutating func note(time: Int64?) {
        if let last = times.values.last, last == time { return times.isDirty = true }
        times.values.append(time)
        times.isDirty = true
    }

    /// What a sync that begins now can settle.
    var checkpoint: Checkpoint { Checkpoint(file: self) }

    /// A sync ended.
    ///
    /// - Parameters:
    ///   - succeeded: whether the disk has what was written before `checkpoint`.
    ///   - checkpoint: what was there when it began.
    ///   - isWhole: whether mode and time are settled too.
    mutating func sync(_ succeeded: Bool, since checkpoint: Checkpoint, isWhole: Bool) {
        var settled = checkpoint.file
        for sector in settled.sectors.keys { settled.sectors[sector]?.settle(succeeded) }
        for (sector, history) in settled.sectors {
            let before = checkpoint.file.sectors[sector]?.values.count ?? 0
            let later = sectors[sector]?.values.dropFirst(before) ?? []
            sectors[sector] = History(values: history.values + later, isDirty: !later.isEmpty)
        }
        Self.settle(&sizes, since: checkpoint.file.sizes, succeeded)
        guard isWhole else { return }
        Self.settle(&modes, since: checkpoint.file.modes, succeeded)
        Self.settle(&times, since: checkpoint.file.times, succeeded)
    }

    private static func settle<Value>(
        _ history: inout History<Value>, since checkpoint: History<Value>, _ succeeded: Bool
    ) {
        var settled = checkpoint
        settled.settle(succeeded)
        let later = history.values.dropFirst(checkpoint.values.count)
        history = History(values: settled.values + later, isDirty: !later.isEmpty)
    }

    private mutating func grow(to size: Int) {
        cache += [UInt8](repeating: 0, count: size - cache.count)
        sizes.values.append(size)
        sizes.isDirty = true
    }

    /// Begins a sector's history with what is on the disk.
    private mutating func open(_ sector: Int, mayBeStale: Bool) {
        guard sectors[sector] == nil else { return }
        let start = sector * Self.sectorLength
        if start < base.count {
            sectors[sector] = History(values: [.bytes(Self.sector(sector, of: base))], isDirty: false)
        } else {
            sectors[sector] = History(values: mayBeStale ? [.zeros, .stale] : [.zeros], isDirty: false)
        }
    }

    private mutating func note(_ sector: Int) {
        sectors[sector]?.values.append(.bytes(Self.sector(sector, of: cache)))
        sectors[sector]?.isDirty = true
    }

    /// A sector's bytes, with zeros behind the end.
    private static func sector(_ sector: Int, of bytes: [UInt8]) -> [UInt8] {
        let start = sector * sectorLength
        guard start < bytes.count else { return [UInt8](repeating: 0, count: sectorLength) }
        let end = min(bytes.count, start + sectorLength)
        var sector = [UInt8](repeating: 0, count: sectorLength)
        // Byte by byte, or generically, it takes most of the time where nothing is optimised.
        bytes.withUnsafeBytes { all in
            sector.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[start..<end])) }
        }
        return sector
    }

    /// Copies as many bytes as there are places.
    private static func copy(_ bytes: [UInt8], to target: inout [UInt8], at offset: Int) {
        let count = min(bytes.count, target.count - offset)
        bytes.withUnsafeBytes { source in
            target.withUnsafeMutableBytes { all in
                UnsafeMutableRawBufferPointer(rebasing: all[offset..<offset + count])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<count]))
            }
        }
    }

    // MARK: - After the cut

    /// How much of what is not settled the disk took.
    enum Luck: CaseIterable {
        case nothing, everything, newestMostly, anything
    }

    /// What reads give now: the state that a kill without a power cut leaves.
    var intact: DiskState.File {
        DiskState.File(
            bytes: cache, mode: modes.values.last ?? 0o600, modificationTime: times.values.last ?? nil)
    }

    /// A content that the disk may hold after a power cut.
    ///
    /// - Parameters:
    ///   - foreign: what other files held: blocks that were theirs may show it.
    ///   - random: decides.
    /// - Returns: the file.
    func afterPowerCut(foreign: [[UInt8]], using random: inout SeededRandom) -> DiskState.File {
        let luck = Luck.allCases.randomElement(using: &random) ?? .anything
        let size = Self.pick(sizes, luck, &random) ?? 0
        var bytes = Array(base.prefix(size))
        bytes += [UInt8](repeating: 0, count: size - bytes.count)
        for sector in sectors.keys.sorted() {
            guard let history = sectors[sector], let version = Self.pick(history, luck, &random) else { continue }
            let start = sector * Self.sectorLength
            guard start < size else { continue }
            switch version {
            case .zeros: Self.copy([UInt8](repeating: 0, count: Self.sectorLength), to: &bytes, at: start)
            case .bytes(let written): Self.copy(written, to: &bytes, at: start)
            case .stale: Self.copy(Self.stale(sector, foreign, &random), to: &bytes, at: start)
            }
        }
        return DiskState.File(
            bytes: bytes, mode: Self.pick(modes, luck, &random) ?? 0o600,
            modificationTime: Self.pick(times, luck, &random) ?? nil)
    }

    private static func pick<Value>(
        _ history: History<Value>, _ luck: Luck, _ random: inout SeededRandom
    ) -> Value? {
        guard history.values.count > 1 else { return history.values.first }
        switch luck {
        case .nothing: return history.values.first
        case .everything: return history.values.last
        case .newestMostly where random.next() & 15 != 0: return history.values.last
        case .newestMostly, .anything: return history.values.randomElement(using: &random)
        }
    }

    private static func stale(_ sector: Int, _ foreign: [[UInt8]], _ random: inout SeededRandom) -> [UInt8] {
        if let other = foreign.randomElement(using: &random), sector * sectorLength < other.count {
            return Self.sector(sector, of: other)
        }
        var noise: [UInt8] = []
        while noise.count < sectorLength {
            let word = random.next()
            for shift in 0..<8 { noise.append(UInt8(truncatingIfNeeded: word >> (8 * UInt64(shift)))) }
        }
        return noise
    }
}
