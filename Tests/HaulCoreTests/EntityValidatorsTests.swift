import HaulCore
import Testing

@Suite struct EntityTagTests {
    @Test(arguments: [
        (#""abc""#, "abc", false, true),
        (#"W/"abc""#, "abc", true, true),
        (#"w/"abc""#, "abc", true, true),
        (#" "abc"  "#, "abc", false, true),
        ("abc", "abc", false, false),
        ("W/abc", "abc", true, false),
        (#""abc"#, #""abc"#, false, false),
        (#""a b""#, "a b", false, true),
        (#""abc-gzip""#, "abc-gzip", false, true),
        (#""é""#, "é", false, true),
        ("W", "W", false, false),
    ])
    func reads(text: String, opaque: String, isWeak: Bool, isQuoted: Bool) throws {
        let tag = try #require(EntityTag(text))
        #expect(tag.opaque == opaque)
        #expect(tag.isWeak == isWeak)
        #expect(tag.isQuoted == isQuoted)
        #expect(tag.text == FieldText.trimmed(text))
    }

    @Test(arguments: ["", " ", #""""#, #"W/"""#, "W/", "\"a\r\nX: y\"", "\"a\u{0}\"", "\"\u{7F}\""])
    func refuses(text: String) {
        #expect(EntityTag(text) == nil)
    }

    @Test(arguments: [
        (#""1""#, #""1""#, true), (#""1""#, #""2""#, false), (#"W/"1""#, #""1""#, false), (#"W/"1""#, #"W/"1""#, false),
        ("1", #""1""#, true),
    ])
    func comparesStrongly(left: String, right: String, same: Bool) throws {
        let left = try #require(EntityTag(left)), right = try #require(EntityTag(right))
        #expect(left.isSameStrong(as: right) == same)
        #expect(right.isSameStrong(as: left) == same)
    }
}

@Suite struct EntityValidatorsTests {
    static let noon = "Sun, 06 Nov 1994 12:00:00 GMT"
    static let noonToo = "Sunday, 06-Nov-94 12:00:00 GMT"
    static let minuteLater = "Sun, 06 Nov 1994 12:01:00 GMT"
    static let almostLater = "Sun, 06 Nov 1994 12:00:59 GMT"

    @Test(
        arguments: [
            (#""a""#, nil, nil, #""a""#),
            (#""a""#, noon, minuteLater, #""a""#),
            (#"W/"a""#, noon, minuteLater, nil),
            ("a", noon, minuteLater, nil),
            (#""é""#, noon, minuteLater, nil),
            (nil, noon, minuteLater, noon),
            (nil, noon, almostLater, nil),
            (nil, noon, nil, nil),
            (nil, minuteLater, noon, nil),
            (nil, "yesterday", minuteLater, nil),
            (nil, nil, minuteLater, nil),
            ("", noon, minuteLater, noon),
        ] as [(String?, String?, String?, String?)])
    func sendsOnlyStrongValidators(tag: String?, modified: String?, date: String?, value: String?) {
        #expect(EntityValidators(entityTag: tag, lastModified: modified, date: date).ifRangeValue == value)
    }

    @Test(
        arguments: [
            // Tags alone.
            (#""a""#, nil, #""a""#, nil, false),
            (#""a""#, nil, #""b""#, nil, true),
            (#""a""#, noon, #""a""#, minuteLater, false),
            (#""a""#, noon, #""b""#, noon, true),
            // A field that is absent says nothing.
            (#""a""#, noon, nil, nil, false),
            (nil, nil, #""b""#, noon, false),
            (#""a""#, noon, nil, noon, false),
            (#""a""#, noon, nil, minuteLater, true),
            // Dates alone, and their spellings.
            (nil, noon, nil, minuteLater, true),
            (nil, noon, nil, noonToo, false),
            (nil, "odd", nil, "odd", false),
            (nil, "odd", nil, "other", true),
            // Weak tags.
            (#"W/"a""#, nil, #"W/"a""#, nil, false),
            (#"W/"a""#, noon, #"W/"a""#, minuteLater, true),
            (#"W/"a""#, nil, #"W/"b""#, nil, true),
            (#"W/"a""#, noon, #"W/"b""#, noon, false),
            (#"W/"a""#, noon, #"W/"b""#, minuteLater, true),
            (#"W/"a""#, noon, #"W/"b""#, nil, true),
            (#""a""#, nil, #"W/"a""#, nil, false),
            (#""a""#, nil, #"W/"b""#, nil, true),
            (#""a""#, noon, #"W/"b""#, noon, false),
        ] as [(String?, String?, String?, String?, Bool)])
    func seesChanges(tag: String?, modified: String?, otherTag: String?, otherModified: String?, changed: Bool) {
        let known = EntityValidators(entityTag: tag, lastModified: modified)
        let other = EntityValidators(entityTag: otherTag, lastModified: otherModified)
        #expect((known.contradicts(other) != nil) == changed)
        #expect((other.contradicts(known) != nil) == changed)
        if changed { #expect(!known.provesSameBytes(as: other)) }
    }

    @Test func provesOnlyByStrongValidators() {
        func same(_ left: EntityValidators, _ right: EntityValidators) -> Bool { left.provesSameBytes(as: right) }
        let strong = EntityValidators(entityTag: #""a""#, lastModified: nil)
        let weak = EntityValidators(entityTag: #"W/"a""#, lastModified: Self.noon, date: Self.minuteLater)
        let dated = EntityValidators(entityTag: nil, lastModified: Self.noon, date: Self.minuteLater)
        let journaled = EntityValidators(entityTag: nil, lastModified: Self.noon)
        let nothing = EntityValidators(entityTag: nil, lastModified: nil)
        #expect(same(strong, strong) && same(dated, dated))
        #expect(!same(weak, weak) && !same(strong, weak) && !same(weak, dated))
        #expect(!same(dated, journaled) && !same(nothing, nothing) && !same(strong, nothing))
        #expect(nothing.isEmpty && !journaled.isEmpty)
    }
}
