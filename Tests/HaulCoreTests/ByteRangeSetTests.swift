import HaulCore
import Testing

@Suite struct ByteRangeSetTests {
    @Test(arguments: UInt64(1)...64)
    func agreesWithASetOfNumbers(seed: UInt64) {
        var random = CoreRandom(seed: seed)
        let limit = Int64.random(in: 8...96, using: &random)
        var set = ByteRangeSet()
        var model: Set<Int64> = []
        for _ in 0..<200 {
            let range = Self.range(below: limit, &random)
            if Bool.random(using: &random) {
                set.insert(range)
                model.formUnion(range.lowerBound..<range.upperBound)
            } else {
                set.remove(range)
                model.subtract(range.lowerBound..<range.upperBound)
            }
            let other = Self.range(below: limit, &random)
            let offsets = Set(other.lowerBound..<other.upperBound)
            #expect(Self.numbers(set.ranges) == model)
            #expect(set.total == Int64(model.count))
            #expect(set.isEmpty == model.isEmpty)
            #expect(set.ranges.allSatisfy { !$0.isEmpty })
            #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
            #expect(set.contains(other) == offsets.isSubset(of: model))
            #expect(set.overlaps(other) == !offsets.isDisjoint(with: model))
            #expect(Self.numbers(set.gaps(in: other)) == offsets.subtracting(model))
            #expect(Self.numbers(set.intersection(other)) == offsets.intersection(model))
            let offset = Int64.random(in: 0...limit, using: &random)
            #expect(set.contains(offset) == model.contains(offset))
            var front = offset
            while model.contains(front) { front += 1 }
            #expect(set.front(from: offset) == front)
        }
    }

    @Test(arguments: UInt64(1)...16)
    func isTheSameInAnyOrder(seed: UInt64) {
        var random = CoreRandom(seed: seed)
        let ranges = (0..<30).map { _ in Self.range(below: 200, &random) }
        let set = ByteRangeSet(ranges)
        #expect(ByteRangeSet(ranges.shuffled(using: &random)) == set)
        var union = ByteRangeSet(ranges[..<15])
        union.formUnion(ByteRangeSet(ranges[15...]))
        #expect(union == set)
        union.subtract(set)
        #expect(union.isEmpty && union.total == 0)
    }

    @Test func holdsTheWholeOfInt64() {
        var set = ByteRangeSet(ByteRange(0, .max))
        #expect(set.contains(Int64.max - 1))
        #expect(!set.contains(Int64.max))
        set.remove(ByteRange(10, 20))
        #expect(set.total == Int64.max - 10)
        #expect(set.description == "0..<10, 20..<\(Int64.max)")
    }

    private static func range(below limit: Int64, _ random: inout CoreRandom) -> ByteRange {
        ByteRange(Int64.random(in: 0...limit, using: &random), Int64.random(in: 0...limit, using: &random))
    }

    private static func numbers(_ ranges: [ByteRange]) -> Set<Int64> {
        Set(ranges.flatMap { Array($0.lowerBound..<$0.upperBound) })
    }
}

@Suite struct ByteRangeTests {
    @Test func invertedIsEmpty() {
        #expect(ByteRange(5, 3).isEmpty)
        #expect(ByteRange(5, 3).length == 0)
    }

    @Test func splitsInsideAndOutside() {
        let range = ByteRange(10, 20)
        #expect(range.split(at: 15) == (ByteRange(10, 15), ByteRange(15, 20)))
        #expect(range.split(at: 0) == (ByteRange(10, 10), range))
        #expect(range.split(at: 99) == (range, ByteRange(20, 20)))
    }

    @Test func relatesToOthers() {
        let range = ByteRange(10, 20)
        #expect(range.contains(10) && !range.contains(20))
        #expect(range.contains(ByteRange(12, 20)) && !range.contains(ByteRange(12, 21)))
        #expect(range.contains(ByteRange(50, 50)))
        #expect(range.overlaps(ByteRange(19, 30)) && !range.overlaps(ByteRange(20, 30)))
        #expect(range.clamped(to: ByteRange(15, 30)) == ByteRange(15, 20))
        #expect(range.clamped(to: ByteRange(30, 40)).isEmpty)
    }
}
