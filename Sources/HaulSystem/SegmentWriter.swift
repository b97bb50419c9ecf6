import CChecksum
package import HaulCore
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Gathers the bytes of one connection and writes them in blocks of 256 KiB, aligned in the file.
///
/// libcurl hands out at most 16 KiB at a time; on ext4 writes of that size cost two to four times the CPU of 256 KiB, and
/// larger ones were no better. The connection's thread appends; any thread may flush and take, so that a ticker can bound
/// what a killed process loses. Checksums are made of the gathered bytes before they are written: they say what came off
/// the wire.
package final class SegmentWriter: Sendable {
    /// Length of a block, and its alignment in the file.
    package static let blockLength = 256 << 10

    private let onWritten: (@Sendable (FinishedRange) -> Void)?
    private let state: Mutex<State>
    private let next: Atomic<Int64>

    private struct State: ~Copyable, Sendable {
        /// Where to write; nil as long as bytes are gathered for a file that is not made yet.
        var part: PartFile?
        /// Allocated with the first byte, since a slot may never get one.
        var block: AlignedBlock?
        /// Offset in the file of the block's first byte.
        var start: Int64
        /// Length of the memory: that of a block, or of a whole file that is shorter.
        let capacity: Int
        /// Number of bytes gathered.
        var count = 0
        var finished: [FinishedRange] = []

        init(part: PartFile?, start: Int64, capacity: Int) {
            self.part = part
            self.start = start
            self.capacity = capacity
        }

        /// Copies as many bytes as fit into the block.
        ///
        /// - Returns: the number of bytes taken, and whether the block is full now.
        mutating func take(_ bytes: UnsafeRawBufferPointer) -> (count: Int, isFull: Bool) {
            if block == nil { block = AlignedBlock(count: capacity) }
            guard let target = unsafe block?.suffix(from: count) else { return (0, true) }
            // After a flush in the middle of a block, and after a start in one, the block is shorter: its end is fixed.
            let room = min(capacity, SegmentWriter.blockLength - Int(start % Int64(SegmentWriter.blockLength))) - count
            let taken = min(room, bytes.count)
            unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<taken]))
            count += taken
            return (taken, taken == room)
        }
    }

    /// Makes a writer whose first byte goes to `offset`.
    ///
    /// - Parameters:
    ///   - part: where to write.
    ///   - offset: where the first byte goes.
    ///   - onWritten: takes each block when it is written, on the thread that wrote it; `takeFinished` has none then.
    ///     A block never crosses a multiple of `blockLength`.
    package init(part: PartFile, at offset: Int64, onWritten: (@Sendable (FinishedRange) -> Void)? = nil) {
        self.onWritten = onWritten
        state = Mutex(State(part: part, start: offset, capacity: Self.blockLength))
        next = Atomic(offset)
    }

    /// Makes a writer that gathers a whole file before there is one to write to.
    ///
    /// - Parameter length: size of the file in bytes, at most `blockLength`; no more is accepted.
    package init(gathering length: Int) {
        onWritten = nil
        state = Mutex(State(part: nil, start: 0, capacity: max(1, min(length, Self.blockLength))))
        next = Atomic(0)
    }

    /// Gives what is gathered its file: from now on it is written as others are.
    package func attach(_ part: PartFile) { state.withLock { $0.part = part } }

    /// Whether there is no file yet.
    package var isDetached: Bool { state.withLock { $0.part == nil } }

    /// Writes what was gathered without a file to one, and keeps it: should that turn out badly, nothing is lost.
    ///
    /// - Parameter part: the file.
    /// - Returns: what was written, with its checksum.
    /// - Throws: what pwrite(2) said.
    package func copy(to part: PartFile) throws(SystemError) -> FinishedRange {
        try state.withLock { (state) throws(SystemError) in
            guard let bytes = unsafe state.block?.prefix(state.count) else {
                return FinishedRange(ByteRange(state.start, state.start), checksum: 0)
            }
            let checksum = unsafe haul_crc32c(0, bytes.baseAddress, bytes.count)
            try unsafe part.write(bytes, at: state.start)
            return FinishedRange(ByteRange(state.start, state.start + Int64(state.count)), checksum: checksum)
        }
    }

    /// Gives the memory back of what was copied to a file and found good there: the file may have to wait for the disk.
    package func forget() { state.withLock { $0.block = nil } }

    /// Has again what was forgotten: pread(2).
    ///
    /// - Parameter part: what it was copied to.
    /// - Throws: what pread(2) said.
    package func recall(from part: PartFile) throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in
            guard state.block == nil, state.count > 0 else { return }
            let block = AlignedBlock(count: state.capacity)
            let buffer = unsafe UnsafeMutableRawBufferPointer(rebasing: block.suffix(from: 0)[..<state.count])
            guard try unsafe part.read(into: buffer, at: state.start) == state.count else {
                throw SystemError(.pread, number: EIO, path: part.path)
            }
            state.block = consume block
        }
    }

    /// Offset behind the last byte that was accepted, written or not.
    package var position: Int64 { next.load(ordering: .acquiring) }

    /// Accepts bytes that follow the last ones.
    ///
    /// Blocks while a block is written: that is the back pressure.
    ///
    /// - Parameter bytes: what came off the wire.
    /// - Throws: what pwrite(2) said; `position` tells how much was accepted, and `flush` tries again.
    package func append(_ bytes: RawSpan) throws(SystemError) {
        try unsafe bytes.withUnsafeBytes { (buffer) throws(SystemError) in
            try state.withLock { (state) throws(SystemError) in try unsafe append(buffer, to: &state) }
        }
    }

    private func append(_ bytes: UnsafeRawBufferPointer, to state: inout State) throws(SystemError) {
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let taken = unsafe state.take(rest)
            guard taken.count > 0 || state.part != nil else { return }
            next.store(state.start + Int64(state.count), ordering: .releasing)
            if taken.isFull { try write(&state) }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[taken.count...])
        }
    }

    /// Writes what is gathered, aligned or not.
    ///
    /// - Throws: what pwrite(2) said; the bytes are kept for another try.
    package func flush() throws(SystemError) {
        try state.withLock { (state) throws(SystemError) in try write(&state) }
    }

    /// Ranges that were written since the last time, in order; none crosses a multiple of 8 MiB.
    package func takeFinished() -> [FinishedRange] {
        state.withLock { state in
            let finished = state.finished
            state.finished = []
            return finished
        }
    }

    /// Goes on at another offset with the same memory.
    ///
    /// What was gathered and not flushed is dropped; finished ranges that nobody took are kept.
    ///
    /// - Parameter offset: where the next byte goes.
    package func reset(at offset: Int64) {
        state.withLock { state in
            state.start = offset
            state.count = 0
            next.store(offset, ordering: .releasing)
        }
    }

    /// Writes the block and counts it as finished.
    private func write(_ state: inout State) throws(SystemError) {
        guard let part = state.part, state.count > 0, let bytes = unsafe state.block?.prefix(state.count) else {
            return
        }
        let range = ByteRange(state.start, state.start + Int64(state.count))
        // A block never crosses a window, since its end is aligned; so either the whole block joins the last range or
        // begins a new one, and joining is going on with the last range's checksum.
        let last = state.finished.last
        if let onWritten {
            let checksum = unsafe haul_crc32c(0, bytes.baseAddress, bytes.count)
            try unsafe part.write(bytes, at: state.start)
            onWritten(FinishedRange(range, checksum: checksum))
        } else if let last, last.range.upperBound == range.lowerBound,
            last.range.lowerBound / [FinishedRange].joiningWindow == range.lowerBound / [FinishedRange].joiningWindow
        {
            let checksum = unsafe haul_crc32c(last.checksum, bytes.baseAddress, bytes.count)
            try unsafe part.write(bytes, at: state.start)
            state.finished[state.finished.count - 1] = FinishedRange(
                ByteRange(last.range.lowerBound, range.upperBound), checksum: checksum)
        } else {
            let checksum = unsafe haul_crc32c(0, bytes.baseAddress, bytes.count)
            try unsafe part.write(bytes, at: state.start)
            state.finished.append(FinishedRange(range, checksum: checksum))
        }
        state.start = range.upperBound
        state.count = 0
    }
}
