/// Where a part lies in the whole, as `Content-Range` says it, and the `Range` field that asks for one (RFC 9110 §14).
///
/// The only place where range ends are inclusive.
package struct ContentRange: Hashable, Sendable {
    /// The bytes that the answer carries; nil in `bytes */N`, which comes with a 416.
    package let range: ByteRange?
    /// Size of the whole in bytes; nil when the server says `*`.
    package let total: Int64?

    /// Makes a content range.
    package init(range: ByteRange?, total: Int64?) {
        self.range = range
        self.total = total
    }

    /// Reads a `Content-Range` value (RFC 9110 §14.4).
    ///
    /// Servers are loose about what stands before the first number, so any case of `bytes`, a missing unit, and `=`,
    /// `:` or any white space after it are taken, and white space anywhere between. The numbers themselves are the
    /// proof of where bytes belong: an inverted range, an end past the total, a number that overflows, a missing
    /// total or anything after it make the field worthless.
    ///
    /// - Returns: nil if the value says nothing reliable.
    package init?(_ text: String) {
        if let usual = Self.usual(Array(text.utf8)) {
            self = usual
            return
        }
        var reader = Reader(text)
        reader.skipUnit()
        if reader.take("*") {
            guard reader.take("/"), let total = reader.number(), reader.isAtEnd else { return nil }
            self.init(range: nil, total: total)
            return
        }
        guard let first = reader.number(), reader.take("-"), let last = reader.number(), first <= last,
            last < Int64.max, reader.take("/")
        else { return nil }
        let range = ByteRange(first, last + 1)
        if reader.take("*") {
            guard reader.isAtEnd else { return nil }
            self.init(range: range, total: nil)
        } else {
            guard let total = reader.number(), range.upperBound <= total, reader.isAtEnd else { return nil }
            self.init(range: range, total: total)
        }
    }

    /// Reads `bytes FIRST-LAST/TOTAL`, which is what nearly every server writes.
    ///
    /// - Returns: nil for anything else, which may mean something all the same.
    private static func usual(_ text: [UInt8]) -> ContentRange? {
        var index = 0
        for byte in "bytes ".utf8 {
            guard index < text.count, text[index] == byte else { return nil }
            index += 1
        }
        var numbers: (Int64, Int64, Int64) = (0, 0, 0)
        guard digits(text, &index, &numbers.0), skip(UInt8(ascii: "-"), text, &index),
            digits(text, &index, &numbers.1), skip(UInt8(ascii: "/"), text, &index),
            digits(text, &index, &numbers.2), index == text.count, numbers.0 <= numbers.1, numbers.1 < numbers.2
        else { return nil }
        return ContentRange(range: ByteRange(numbers.0, numbers.1 + 1), total: numbers.2)
    }

    private static func skip(_ byte: UInt8, _ text: [UInt8], _ index: inout Int) -> Bool {
        guard index < text.count, text[index] == byte else { return false }
        index += 1
        return true
    }

    /// Reads a number of up to 18 digits, which fits in any case.
    private static func digits(_ text: [UInt8], _ index: inout Int, _ number: inout Int64) -> Bool {
        let start = index
        let end = min(text.count, start + 18)
        while index < end, text[index] >= UInt8(ascii: "0"), text[index] <= UInt8(ascii: "9") {
            number = number * 10 + Int64(text[index] - UInt8(ascii: "0"))
            index += 1
        }
        return index > start
    }

    /// The `Range` value that asks for `range` (RFC 9110 §14.2); an end of `Int64.max` asks for all from its start.
    ///
    /// - Returns: nil for the empty range, which `Range` cannot express.
    package static func request(_ range: ByteRange) -> String? {
        guard !range.isEmpty else { return nil }
        return range.upperBound == Int64.max
            ? "bytes=\(range.lowerBound)-" : "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
    }

    /// Walks over the bytes of a value; white space before each token is skipped.
    private struct Reader {
        private var rest: Substring.UTF8View

        init(_ text: String) { rest = Substring(text).utf8 }

        var isAtEnd: Bool { rest.allSatisfy(Self.isBlank) }

        mutating func skipUnit() {
            skipBlanks()
            let unit = "bytes"
            if HTTPFields.equal(String(Substring(rest.prefix(unit.utf8.count))), unit) {
                rest = rest.dropFirst(unit.utf8.count)
                skipBlanks()
                if let mark = rest.first, mark == UInt8(ascii: "=") || mark == UInt8(ascii: ":") {
                    rest = rest.dropFirst()
                }
            }
        }

        mutating func take(_ token: Unicode.Scalar) -> Bool {
            skipBlanks()
            guard let byte = rest.first, byte == UInt8(ascii: token) else { return false }
            rest = rest.dropFirst()
            return true
        }

        mutating func number() -> Int64? {
            skipBlanks()
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            rest = rest.dropFirst(digits.count)
            return FieldText.number(digits)
        }

        private mutating func skipBlanks() { rest = rest.drop(while: Self.isBlank) }

        private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    }
}
