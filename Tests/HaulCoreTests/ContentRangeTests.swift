import HaulCore
import Testing

@Suite struct ContentRangeTests {
    @Test(arguments: [
        ("bytes 0-99/100", 0, 100, 100),
        ("bytes 0-0/1", 0, 1, 1),
        ("bytes 10-19/*", 10, 20, nil),
        ("Bytes 10-19/100", 10, 20, 100),
        ("BYTES 10-19/100", 10, 20, 100),
        ("bytes=10-19/100", 10, 20, 100),
        ("bytes: 10-19/100", 10, 20, 100),
        ("bytes:10-19/100", 10, 20, 100),
        ("bytes10-19/100", 10, 20, 100),
        ("10-19/100", 10, 20, 100),
        ("  bytes \t 10 - 19 / 100  ", 10, 20, 100),
        ("bytes 10-19/ *", 10, 20, nil),
        ("bytes 9223372036854775805-9223372036854775806/9223372036854775807", .max - 2, .max, Int64.max),
    ])
    func reads(text: String, start: Int64, end: Int64, total: Int64?) {
        #expect(ContentRange(text) == ContentRange(range: ByteRange(start, end), total: total))
    }

    @Test(arguments: [("bytes */0", 0), ("bytes */1234", 1_234), ("bytes=*/7", 7), ("*/7", 7), ("bytes * / 7", 7)])
    func readsUnsatisfied(text: String, total: Int64) {
        #expect(ContentRange(text) == ContentRange(range: nil, total: total))
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes */*", "bytes 5-4/10", "bytes 0-10/10", "bytes 0-0/0", "bytes 0--1/0",
        "bytes -5/10", "bytes 5-/10", "bytes 0-9", "bytes 0-9/", "bytes 0-9/10x", "bytes 0-9/10, bytes 0-9/10",
        "bytes 0-9/10/10", "items 0-9/10", "seconds 0-9/10", "bytes a-b/c", "bytes 0x0-0x9/10",
        "bytes 0-9223372036854775807/*", "bytes 0-9223372036854775808/*", "bytes 0-9/9223372036854775808",
        "bytes 99999999999999999999-99999999999999999999/*", "bytes 0-9/-10", "bytes +0-9/10", "bytes 0-9\u{301}/10",
        "bytes==0-9/10",
    ])
    func refuses(text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test func printsRequests() {
        #expect(ContentRange.request(ByteRange(0, 1)) == "bytes=0-0")
        #expect(ContentRange.request(ByteRange(500, 1_000)) == "bytes=500-999")
        #expect(ContentRange.request(ByteRange(500, .max)) == "bytes=500-")
        #expect(ContentRange.request(ByteRange(500, 500)) == nil)
    }

    @Test(arguments: UInt64(1)...32)
    func anythingReadLiesWithinItsTotal(seed: UInt64) {
        var random = CoreRandom(seed: seed)
        let alphabet = Array("bytes 0123456789-/*=: ")
        for _ in 0..<2_000 {
            let tail = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? " "
            }
            guard let content = ContentRange("bytes " + String(tail)) else { continue }
            if let range = content.range { #expect(!range.isEmpty && range.upperBound <= content.total ?? .max) }
            #expect(content.range != nil || content.total != nil)
        }
    }
}
