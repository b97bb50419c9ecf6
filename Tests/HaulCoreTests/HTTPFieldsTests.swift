import HaulCore
import Testing

@Suite struct HTTPFieldsTests {
    @Test func looksUpWithoutCase() {
        let fields = HTTPFields([HTTPField("ETag", "a"), HTTPField("etag", "b"), HTTPField("X", "")])
        #expect(fields["ETAG"] == "a")
        #expect(fields.all("eTag") == ["a", "b"])
        #expect(fields["x"] == "")
        #expect(fields["y"] == nil)
    }

    @Test(arguments: [
        (["a, b ,,c"], ["a", "b", "c"]),
        (["a", "b"], ["a", "b"]),
        ([#""a,b", c"#], [#""a,b""#, "c"]),
        ([#""a\",b", c"#], [#""a\",b""#, "c"]),
        ([#""\\", c"#], [#""\\""#, "c"]),
        ([#""open, c"#], [#""open, c"#]),
        ([" , \t"], []),
        ([], []),
    ])
    func splitsLists(lines: [String], members: [String]) {
        #expect(HTTPFields(lines.map { HTTPField("L", $0) }).list("l") == members)
    }

    @Test func trimsOnlyBlanks() {
        #expect(FieldText.trimmed(" \t a b\t") == "a b")
        #expect(FieldText.trimmed(" \t ") == "")
        #expect(FieldText.trimmed("\u{A0}a") == "\u{A0}a")
    }

    @Test(arguments: [
        ("0", 0), ("007", 7), ("9223372036854775807", Int64.max), ("9223372036854775808", nil), ("", nil), ("-1", nil),
        ("+1", nil), ("1.0", nil), (" 1", nil), ("0x1", nil), ("99999999999999999999", nil), ("١", nil),
    ])
    func readsNumbers(text: String, number: Int64?) {
        #expect(FieldText.number(text.utf8) == number)
    }

    @Test func passwordsDoNotPrint() {
        let credentials = BasicCredentials(name: "ann", password: "secret")
        #expect("\(credentials)" == "ann:…")
        var dumped = ""
        dump(Optional(credentials), to: &dumped)
        #expect(!dumped.contains("secret"))
    }
}
