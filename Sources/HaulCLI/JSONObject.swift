/// One JSON object on one line (RFC 8259), fields in the order in which they were added.
struct JSONObject {
    /// The fields so far, without the braces.
    private var fields = ""

    /// Makes an object without fields.
    init() {}

    /// The object as text, without a line end.
    var text: String { "{" + fields + "}" }

    /// Adds a string.
    mutating func add(_ name: String, _ value: String) { append(name, Self.quoted(value)) }

    /// Adds a whole number.
    mutating func add(_ name: String, _ value: some BinaryInteger) { append(name, String(value)) }

    /// Adds a truth value.
    mutating func add(_ name: String, _ value: Bool) { append(name, value ? "true" : "false") }

    /// Adds a number with three decimals.
    mutating func add(_ name: String, _ value: Double) { append(name, FixedPoint.text(value, decimals: 3)) }

    /// Adds seconds with three decimals.
    mutating func add(_ name: String, _ value: Duration) {
        append(name, FixedPoint.text(TimeSpan.seconds(value), decimals: 3))
    }

    /// Adds an array of strings.
    mutating func add(_ name: String, _ values: [String]) {
        append(name, "[" + values.map(Self.quoted).joined(separator: ",") + "]")
    }

    private mutating func append(_ name: String, _ value: String) {
        if !fields.isEmpty { fields += "," }
        fields += Self.quoted(name) + ":" + value
    }

    /// A text as a JSON string, quotes included.
    ///
    /// Control characters are escaped, DEL and C1 too, so that a line shown on a terminal does no harm; line and
    /// paragraph separators are escaped for readers that take JSON for JavaScript.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..<" ", "\u{7F}"..<"\u{A0}", "\u{2028}", "\u{2029}":
                result += "\\u" + Printable.hex(scalar.value, digits: 4)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Bytes as a JSON string: what is not UTF-8 becomes U+FFFD, since JSON can't hold it.
    static func quoted(bytes: some Collection<UInt8>) -> String { quoted(String(decoding: bytes, as: UTF8.self)) }
}
