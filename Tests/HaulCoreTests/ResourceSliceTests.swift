import Testing

@testable import HaulCore

@Suite struct ResourceSliceTests {
    private let slice = ResourceSlice(100, 300, wholeSize: 1000)

    @Test func offsetsCountFromTheFirstByte() {
        #expect(slice.inWhole(ByteRange(0, 50)) == ByteRange(100, 150))
        #expect(slice.inWhole(ByteRange(150, .max)) == ByteRange(250, 300))
        #expect(ResourceSlice(100, .max).inWhole(ByteRange(5, .max)) == ByteRange(105, .max))
        #expect(ResourceSlice(100, .max).inWhole(ByteRange(.max - 5, .max)) == ByteRange(.max, .max))
        #expect(ResourceSlice.whole.inWhole(ByteRange(0, .max)) == ByteRange(0, .max))
    }

    @Test(arguments: [(nil, nil), (1000, 200), (150, 50), (100, 0), (10, 0)] as [(Int64?, Int64?)])
    func lengthIsWhatTheResourceHas(size: Int64?, length: Int64?) {
        #expect(slice.length(ofWhole: size) == length)
        #expect(ResourceSlice.whole.length(ofWhole: size) == size)
    }

    @Test func answersAreTurnedRound() {
        let resource = RemoteResource(
            size: 1000, digests: ContentDigest(.crc32c, bytes: [1, 2, 3, 4]).map { [$0] } ?? [])
        let whole = AcceptedAnswer(start: 0, end: 1000, isPartial: false, resource: resource)
        guard case .use(let answer) = slice.inSlice(.use(whole)) else {
            Issue.record("the verdict changed")
            return
        }
        #expect(answer.start == -100)
        #expect(answer.end == 900)
        #expect(answer.resource.size == 200)
        #expect(answer.wholeSize == 1000)
        #expect(answer.resource.digests.isEmpty)
    }

    @Test func aJournalIsOfOnePart() throws {
        let header = JournalHeader.samplePart(first: 100, length: 200, of: 1000)
        #expect(try JournalCodec.decodeHeader(JournalCodec.encode(header).span).header == header)
        #expect(slice.isThat(of: header))
        #expect(!ResourceSlice(100, 299).isThat(of: header))
        #expect(!ResourceSlice(101, 301).isThat(of: header))
        #expect(!ResourceSlice.whole.isThat(of: header))
        #expect(ResourceSlice.whole.isThat(of: .sample()))
        #expect(ResourceSlice(0, 1 << 30).isThat(of: .sample()))
        #expect(!ResourceSlice(0, 100).isThat(of: .sample()))
        let open = JournalHeader.samplePart(first: 0, length: 200, of: nil)
        #expect(try JournalCodec.decodeHeader(JournalCodec.encode(open).span).header == open)
    }
}
