/// The few things that field values need done to them, without regard to locale (RFC 9110 §5.6).
package enum FieldText {
    /// `text` without spaces and tabs at its ends (OWS, RFC 9110 §5.6.3).
    package static func trimmed(_ text: some StringProtocol) -> String {
        if let first = text.unicodeScalars.first, let last = text.unicodeScalars.last, !isBlank(first), !isBlank(last) {
            return String(text)
        }
        var rest = text[...]
        while let first = rest.unicodeScalars.first, isBlank(first) {
            rest = rest[rest.unicodeScalars.index(after: rest.startIndex)...]
        }
        while let last = rest.unicodeScalars.last, isBlank(last) {
            rest = rest[..<rest.unicodeScalars.index(before: rest.endIndex)]
        }
        return String(rest)
    }

    /// The number that `text` spells in decimal digits and nothing else.
    ///
    /// - Returns: nil for an empty text, a sign, anything but digits, and for what does not fit.
    package static func number(_ text: some Sequence<UInt8>) -> Int64? {
        var value: Int64?
        for byte in text {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let (product, overflow) = (value ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }

    /// Value of one hexadecimal digit, nil for anything else.
    package static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The bytes that `text` spells with two hexadecimal digits each, nil if it does not.
    package static func bytes(hex text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Reads the rest of a quoted string and its last quote, which may be missing (RFC 9110 §5.6.4).
    ///
    /// - Parameter rest: what follows the first quote; what follows the last one, afterwards.
    /// - Returns: the text that is meant, without the backslashes of quoted pairs.
    static func quoted(_ rest: inout Substring.UnicodeScalarView) -> String {
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), scalar != "\"" {
            guard scalar == "\\" else {
                value.append(scalar)
                continue
            }
            if let escaped = rest.popFirst() { value.append(escaped) }
        }
        return String(value)
    }

    /// Whether `text` holds only what may stand in a field that haul sends: visible ASCII, spaces between.
    package static func isSendable(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
}
