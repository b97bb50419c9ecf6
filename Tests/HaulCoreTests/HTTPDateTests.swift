import HaulCore
import Testing

@Suite struct HTTPDateTests {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Sun, 6 Nov 1994 08:49:37 GMT", 784_111_777),
        ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
        ("Sun, 06 Nov 1994 08:49:37 UTC", 784_111_777),
        ("Sun, 06 Nov 1994 08:49:37 +0000", 784_111_777),
        ("Sun, 06-Nov-1994 08:49:37 GMT", 784_111_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
        ("Thursday, 01-Jan-70 00:00:00 GMT", 0),
        ("Tuesday, 31-Dec-69 23:59:59 GMT", 3_155_759_999),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
    ])
    func reads(text: String, seconds: Int64) {
        #expect(HTTPDate.seconds(text) == seconds)
    }

    @Test(arguments: [
        "", "0", "-1", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST",
        "Sun, 31 Nov 1994 08:49:37 GMT",
        "Tue, 29 Feb 1900 00:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 0000 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov 08:49:37 GMT", "1994-11-06T08:49:37Z", ", , , , , ,",
    ])
    func refuses(text: String) {
        #expect(HTTPDate.seconds(text) == nil)
    }

    @Test(arguments: UInt64(1)...16)
    func readsWhatItPrints(seed: UInt64) {
        var random = CoreRandom(seed: seed)
        for _ in 0..<500 {
            let seconds = Int64.random(in: -62_135_596_800...253_402_300_799, using: &random)
            #expect(HTTPDate.seconds(HTTPDate.text(seconds)) == seconds)
        }
    }

    @Test func printsTheFixedForm() {
        #expect(HTTPDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(-1) == "Wed, 31 Dec 1969 23:59:59 GMT")
        #expect(HTTPDate.text(.max) == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(HTTPDate.text(.min) == "Mon, 01 Jan 0001 00:00:00 GMT")
    }
}
