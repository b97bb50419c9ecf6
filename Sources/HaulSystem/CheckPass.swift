import HaulCore

/// The work of a `ContentCheck`: reads ranges back, compares their checksums, and feeds the digests in file order.
///
/// A range's bytes count towards the digests only when its checksum was right: they are fed while they are read, and the
/// digests go back to where they were if it was wrong. For one thread.
struct CheckPass: ~Copyable {
    /// Read at once: fits into the second-level cache, so that checksum and digests find it there.
    private static let blockLength = 256 << 10
    /// Blocks in one step: what cancelling waits for.
    private static let blocksPerStep = 4

    /// A range that is being read.
    private struct Reading {
        let finished: FinishedRange
        var position: Int64
        var checksum: UInt32 = 0
        /// The digests as they were before this range; nil if it is not fed to them.
        let before: DigestSet?
    }

    private let part: PartFile
    private let algorithms: [ContentDigest.Algorithm]
    private let startsWriteback: Bool
    private let block = AlignedBlock(count: Self.blockLength)
    private var digests: DigestSet?
    /// End of what the digests hold.
    private var front: Int64 = 0
    /// Ranges to be read, the next one last: in file order with digests, as they came without.
    private var waiting: [FinishedRange] = []
    private var reading: Reading?
    /// Ranges that were good when they were read.
    private var good: [FinishedRange] = []
    private var goodLimit = 4096
    private var bad: [FinishedRange] = []
    private var readError: SystemError?
    /// What the good ranges cover.
    private(set) var verified = ByteRangeSet()

    init(part: PartFile, algorithms: [ContentDigest.Algorithm], startsWriteback: Bool) {
        self.part = part
        self.algorithms = algorithms
        self.startsWriteback = startsWriteback
        restartDigests()
    }

    /// Bytes found good, with those of the range that is being read.
    var checkedBytes: Int64 {
        verified.total + (reading.map { $0.position - $0.finished.range.lowerBound } ?? 0)
    }

    // MARK: - Commands

    /// Takes ranges that were written.
    mutating func add(_ ranges: [FinishedRange]) {
        var ranges = ranges
        for range in ranges.map(\.range) {
            // Written again, perhaps with other bytes: what was found good there has to be found good again.
            if verified.overlaps(range) {
                let again = good.filter { $0.range.overlaps(range) }
                good.removeAll { $0.range.overlaps(range) }
                verified = ByteRangeSet(good.map(\.range))
                ranges += again
            }
            if let reading, reading.finished.range.overlaps(range) { ranges.append(reading.finished) }
        }
        if algorithms.isEmpty {
            waiting.insert(contentsOf: ranges.reversed(), at: 0)
        } else {
            waiting += ranges
            // Timsort: what is sorted already costs one pass.
            waiting.sort { $0.range.lowerBound > $1.range.lowerBound }
        }
    }

    /// Drops what is known about ranges within `range`, which is fetched again.
    ///
    /// Ranges that it only overlaps stay, and are read again when its replacement is added.
    mutating func forget(_ range: ByteRange) {
        waiting.removeAll { range.contains($0.range) }
        bad.removeAll { range.overlaps($0.range) }
        if good.contains(where: { range.contains($0.range) }) {
            good.removeAll { range.contains($0.range) }
            verified = ByteRangeSet(good.map(\.range))
        }
        if let reading, range.contains(reading.finished.range) { abandonReading() }
        if range.lowerBound < front { restartDigests() }
    }

    /// Reads all that was found good once more.
    mutating func distrust() {
        let again = good
        good = []
        verified = ByteRangeSet()
        if let reading { waiting.append(reading.finished) }
        reading = nil
        restartDigests()
        add(again)
    }

    /// Forgets everything: the file begins anew.
    mutating func reset() {
        waiting = []
        reading = nil
        good = []
        bad = []
        readError = nil
        verified = ByteRangeSet()
        restartDigests()
    }

    /// What was found so far.
    ///
    /// - Parameter size: size of the file.
    /// - Returns: what was found.
    func report(size: Int64) -> ContentReport {
        let missing = verified.gaps(in: ByteRange(0, size))
        var values: [ContentDigest] = []
        var failure = readError
        if bad.isEmpty, missing.isEmpty, failure == nil, front == size, let digests {
            do { values = try digests.values() } catch { failure = error }
        }
        let isFinished = waiting.isEmpty && reading == nil && values.count == algorithms.count
        return ContentReport(
            bad: bad.joined(), missing: missing, digests: values, readError: failure, isFinished: isFinished)
    }

    // MARK: - Work

    /// Reads on for at most 1 MiB.
    ///
    /// - Parameter draining: whether ranges are read that the digests have to wait for.
    /// - Returns: false if there was nothing to do.
    mutating func step(draining: Bool) -> Bool {
        for round in 0..<Self.blocksPerStep {
            if reading == nil { beginReading(draining: draining) }
            if reading != nil {
                readBlock()
            } else if !hashVerifiedBlock() {
                return round > 0
            }
        }
        return true
    }

    private mutating func beginReading(draining: Bool) {
        guard let next = waiting.last, draining || algorithms.isEmpty || next.range.lowerBound <= front else { return }
        waiting.removeLast()
        if startsWriteback { part.startWriteback(next.range) }
        var before: DigestSet?
        if let digests, next.range.lowerBound <= front, next.range.upperBound > front {
            do throws(SystemError) { before = try DigestSet(copying: digests) } catch { fail(error) }
        }
        reading = Reading(finished: next, position: next.range.lowerBound, before: before)
    }

    /// Reads a block of the current range.
    private mutating func readBlock() {
        guard var now = reading else { return }
        let range = now.finished.range
        let wanted = Int(min(Int64(Self.blockLength), range.upperBound - now.position))
        guard let count = read(wanted, at: now.position), count == wanted else { return settle(isGood: false) }
        let bytes = unsafe block.prefix(count)
        now.checksum = unsafe HardwareCRC32C.checksum(bytes, continuing: now.checksum)
        if now.before != nil, now.position + Int64(count) > front {
            let known = Int(max(0, front - now.position))
            unsafe digests?.update(UnsafeRawBufferPointer(rebasing: bytes[known...]))
        }
        now.position += Int64(count)
        reading = now
        if now.position == range.upperBound { settle(isGood: now.checksum == now.finished.checksum) }
    }

    /// Ends the current range.
    private mutating func settle(isGood: Bool) {
        guard let done = reading else { return }
        guard isGood else {
            abandonReading()
            bad.append(done.finished)
            // It was good when the digests took it, and was written over since.
            if done.finished.range.lowerBound < front { restartDigests() }
            return
        }
        reading = nil
        if done.before != nil { front = done.finished.range.upperBound }
        verified.insert(done.finished.range)
        good.append(done.finished)
        if good.count > goodLimit {
            good = good.joined()
            goodLimit = good.count * 2 + 4096
        }
    }

    private mutating func abandonReading() {
        if let before = reading?.before { digests = before }
        reading = nil
    }

    /// Feeds the digests a block that was found good before they came to it.
    ///
    /// - Returns: false if there is none.
    private mutating func hashVerifiedBlock() -> Bool {
        guard let digests else { return false }
        let length = Int(min(Int64(Self.blockLength), verified.front(from: front) - front))
        guard length > 0 else { return false }
        guard let count = read(length, at: front), count == length else {
            fail(SystemError(refusing: part.path, because: "became shorter while it was read"))
            self.digests = nil
            return false
        }
        unsafe digests.update(block.prefix(count))
        front += Int64(count)
        return true
    }

    private mutating func read(_ count: Int, at offset: Int64) -> Int? {
        let buffer = unsafe UnsafeMutableRawBufferPointer(rebasing: block.suffix(from: 0)[..<count])
        do throws(SystemError) { return try unsafe part.read(into: buffer, at: offset) } catch {
            fail(error)
            return nil
        }
    }

    private mutating func restartDigests() {
        front = 0
        digests = nil
        guard !algorithms.isEmpty else { return }
        do throws(SystemError) { digests = try DigestSet(algorithms) } catch { fail(error) }
    }

    private mutating func fail(_ error: SystemError) {
        if readError == nil { readError = error }
    }
}
