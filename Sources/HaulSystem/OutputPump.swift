import HaulCore

/// The thread of an `OrderedOutput`: reads, compares, writes, gives back.
actor OutputPump {
    /// Bytes that are given back at once.
    private static let releaseLength: Int64 = 8 << 20

    private let thread = ThreadExecutor(name: "haul.output")
    private let part: PartFile
    private let descriptor: OutputDescriptor
    private let block = AlignedBlock(count: SegmentWriter.blockLength)
    private let sums: DigestSet
    /// End of what was given back.
    private var released: Int64 = 0

    init(_ part: PartFile, _ descriptor: consuming OutputDescriptor, _ sums: sending DigestSet) {
        self.part = part
        self.descriptor = descriptor
        self.sums = sums
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// Passes blocks on as long as there are some that join.
    func run(_ output: OrderedOutput) {
        while let next = output.next() {
            do throws(SystemError) {
                try pass(next, output)
            } catch {
                output.fail(error)
            }
        }
    }

    /// The digests of what has gone out.
    func digests() throws(SystemError) -> [ContentDigest] { try sums.values() }

    private func pass(_ next: FinishedRange, _ output: OrderedOutput) throws(SystemError) {
        let length = Int(next.range.length)
        let buffer = unsafe UnsafeMutableRawBufferPointer(rebasing: block.suffix(from: 0)[..<length])
        let count = try unsafe part.read(into: buffer, at: next.range.lowerBound)
        let bytes = unsafe block.prefix(length)
        guard count == length, unsafe HardwareCRC32C.checksum(bytes, continuing: 0) == next.checksum else {
            throw SystemError(
                .pread, number: 0, path: part.path, detail: "gives back other bytes than were written: check the disk")
        }
        func fresh(_ range: ByteRange) -> UnsafeRawBufferPointer {
            unsafe UnsafeRawBufferPointer(rebasing: bytes[Int(range.lowerBound - next.range.lowerBound)...])
        }
        let new = output.commit(next) { range in
            range == next.range
                ? next.checksum : unsafe HardwareCRC32C.checksum(fresh(range), continuing: 0)
        }
        guard let new else { return }
        unsafe sums.update(fresh(new))
        try unsafe descriptor.write(fresh(new)) { output.goesOn }
        guard output.goesOn else { return }
        output.wrote(to: new.upperBound)
        release(before: new.upperBound)
    }

    /// Gives back what no block that is still to come can overlap: blocks don't cross multiples of their length.
    private func release(before offset: Int64) {
        let end = offset / Int64(SegmentWriter.blockLength) * Int64(SegmentWriter.blockLength)
        guard end - released >= Self.releaseLength else { return }
        part.release(ByteRange(released, end))
        released = end
    }
}
