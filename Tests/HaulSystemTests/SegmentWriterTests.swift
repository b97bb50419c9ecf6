import HaulCore
import HaulSystem
import Synchronization
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("Segment writer")
struct SegmentWriterTests {
    private let scratch: ScratchDirectory
    private let part: PartFile

    init() throws {
        scratch = try ScratchDirectory()
        part = try PartFile.create(scratch("a.haul"))
    }

    @Test("What was copied to a file and forgotten is read from there again")
    func recalls() throws {
        var random = DiskRandom(seed: 3)
        let content = random.bytes(10_001)
        let writer = SegmentWriter(gathering: content.count)
        try writer.append(content.span.bytes)
        let copied = try writer.copy(to: part)
        writer.forget()
        try writer.recall(from: part)
        let other = try PartFile.create(scratch("b.haul"))
        #expect(try writer.copy(to: other) == copied)
        #expect(try scratch.read("b.haul") == content)
        writer.forget()
        try part.truncate(10_000)
        #expect(systemError { try writer.recall(from: part) }?.number == EIO)
    }

    @Test("What is appended is in the file, in ranges within windows", arguments: 1...6 as ClosedRange<UInt64>)
    func writesEverything(seed: UInt64) throws {
        var random = DiskRandom(seed: seed)
        let content = random.bytes(20 << 20)
        let start = Int.random(in: 0..<(10 << 20), using: &random)
        let writer = SegmentWriter(part: part, at: Int64(start))
        var position = start
        var finished: [FinishedRange] = []
        while position < content.count {
            let count = min(content.count - position, Int.random(in: 0...600_000, using: &random))
            try writer.append(content.span.extracting(position..<(position + count)).bytes)
            position += count
            #expect(writer.position == Int64(position))
            if Int.random(in: 0..<10, using: &random) == 0 { try writer.flush() }
            if Int.random(in: 0..<10, using: &random) == 0 { finished += writer.takeFinished() }
        }
        try writer.flush()
        finished += writer.takeFinished()
        #expect(writer.takeFinished().isEmpty)
        #expect(try part.read(ByteRange(Int64(start), Int64(content.count))) == Array(content[start...]))
        #expect(
            ByteRangeSet(finished.map(\.range)).ranges == [ByteRange(Int64(start), Int64(content.count))])
        for range in finished {
            #expect(range == content[range.range].finished(at: range.range.lowerBound))
            #expect(range.range.lowerBound >> 23 == (range.range.upperBound - 1) >> 23)
        }
    }

    @Test("A whole file is gathered before there is one, and written when it is", arguments: [0, 1, 70_000, 256 << 10])
    func gathers(size: Int) throws {
        var random = DiskRandom(seed: 3)
        let content = random.bytes(size)
        let writer = SegmentWriter(gathering: size)
        for start in stride(from: 0, to: size, by: 16_384) {
            try writer.append(content.span.extracting(start..<min(size, start + 16_384)).bytes)
        }
        #expect(writer.isDetached)
        try writer.flush()
        #expect(writer.position == Int64(size))
        #expect(writer.takeFinished().isEmpty)
        #expect(try part.size() == 0)
        writer.attach(part)
        #expect(!writer.isDetached)
        try writer.flush()
        #expect(try part.read(ByteRange(0, Int64(size) + 1)) == content)
        #expect(writer.takeFinished() == (size == 0 ? [] : [content[ByteRange(0, Int64(size))].finished(at: 0)]))
    }

    @Test("A file that is given its place half way goes on there")
    func attachesHalfWay() throws {
        var random = DiskRandom(seed: 4)
        let content = random.bytes(50_000)
        let writer = SegmentWriter(gathering: content.count)
        try writer.append(content.span.extracting(0..<20_000).bytes)
        writer.attach(part)
        try writer.flush()
        #expect(try part.size() == 20_000)
        try writer.append(content.span.extracting(20_000..<50_000).bytes)
        try writer.flush()
        #expect(try part.read(ByteRange(0, 60_000)) == content)
        #expect(writer.takeFinished() == [content[ByteRange(0, 50_000)].finished(at: 0)])
    }

    @Test("More than the announced size is not taken without a file")
    func gathersNoMore() throws {
        let writer = SegmentWriter(gathering: 1000)
        try writer.append([UInt8](repeating: 7, count: 3000).span.bytes)
        #expect(writer.position == 1000)
    }

    #if DEBUG
        @Test("Writes are blocks that end on multiples of 256 KiB")
        func alignment() throws {
            try withFaults(in: scratch) { _ in
            } _: { plan in
                let writer = SegmentWriter(part: part, at: 1000)
                let bytes = [UInt8](repeating: 5, count: 16_384)
                for _ in 0..<64 { try writer.append(bytes.span.bytes) }
                #expect(plan.count(.pwrite) == 4)
                #expect(writer.takeFinished().map(\.range) == [ByteRange(1000, 1 << 20)])
                try writer.flush()
                #expect(writer.takeFinished().map(\.range) == [ByteRange(1 << 20, (1 << 20) + 1000)])
            }
        }

        @Test("A failed write loses nothing: the next flush tries again", arguments: [ENOSPC, EIO])
        func failedWrite(number: Int32) throws {
            try withFaults(in: scratch) {
                $0.disturb(.pwrite, .short(10))
                $0.disturb(.pwrite, nth: 1, times: 2, .error(number))
            } _: { _ in
                let writer = SegmentWriter(part: part, at: 0)
                var random = DiskRandom(seed: 9)
                let content = random.bytes(SegmentWriter.blockLength + 100)
                #expect(systemError { try writer.append(content.span.bytes) }?.number == number)
                #expect(writer.takeFinished().isEmpty)
                #expect(writer.position == Int64(SegmentWriter.blockLength))
                #expect(systemError { try writer.flush() }?.number == number)
                try writer.flush()
                let written = Array(content.prefix(SegmentWriter.blockLength))
                #expect(writer.takeFinished() == [written.finished(at: 0)])
                #expect(try part.read(ByteRange(0, Int64(written.count))) == written)
            }
        }
    #endif

    @Test("Checksums are of the bytes that came, even if the disk has others")
    func checksumsBeforeWriting() throws {
        let writer = SegmentWriter(part: part, at: 0)
        try writer.append(bytes(1, 2, 3).span.bytes)
        try writer.flush()
        try part.write(bytes(9).span.bytes, at: 1)
        #expect(writer.takeFinished() == [([1, 2, 3] as [UInt8]).finished(at: 0)])
    }

    @Test("Reset drops what was not flushed and goes on elsewhere")
    func resets() throws {
        let writer = SegmentWriter(part: part, at: 0)
        try writer.append(bytes(1, 2, 3).span.bytes)
        try writer.flush()
        try writer.append(bytes(4, 5).span.bytes)
        writer.reset(at: 100)
        try writer.append(bytes(6).span.bytes)
        try writer.flush()
        #expect(writer.position == 101)
        #expect(writer.takeFinished().map(\.range) == [ByteRange(0, 3), ByteRange(100, 101)])
        #expect(try part.size() == 101)
    }

    @Test("Flushing and taking from another thread disturbs nothing")
    func concurrentFlush() async throws {
        var random = DiskRandom(seed: 11)
        let content = random.bytes(24 << 20)
        let writer = SegmentWriter(part: part, at: 0)
        let collected = Collected()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var position = 0
                while position < content.count {
                    let end = min(position + 16_384, content.count)
                    #expect(throws: Never.self) {
                        try writer.append(content.span.extracting(position..<end).bytes)
                    }
                    position = end
                }
                collected.stop()
            }
            group.addTask {
                while !collected.isStopped {
                    #expect(throws: Never.self) { try writer.flush() }
                    collected.add(writer.takeFinished())
                    await Task.yield()
                }
            }
        }
        try writer.flush()
        collected.add(writer.takeFinished())
        let finished = collected.ranges
        #expect(ByteRangeSet(finished.map(\.range)).ranges == [ByteRange(0, Int64(content.count))])
        #expect(finished.reduce(0) { $0 + $1.range.length } == Int64(content.count))
        for range in finished { #expect(range == content[range.range].finished(at: range.range.lowerBound)) }
        #expect(try part.read(ByteRange(0, Int64(content.count))) == content)
    }

    private final class Collected: Sendable {
        private let state = Mutex<(ranges: [FinishedRange], isStopped: Bool)>(([], false))

        var ranges: [FinishedRange] { state.withLock { $0.ranges } }
        var isStopped: Bool { state.withLock { $0.isStopped } }

        func add(_ ranges: [FinishedRange]) { state.withLock { $0.ranges += ranges } }
        func stop() { state.withLock { $0.isStopped = true } }
    }
}
