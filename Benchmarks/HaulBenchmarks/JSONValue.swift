/// A JSON value (RFC 8259).
enum JSONValue {
    case object([(key: String, value: JSONValue)])
    case array([JSONValue])
    case string(String)
    case number(Double)
    case boolean(Bool)
    case null

    /// A member of an object.
    subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// The text, if it is one.
    var text: String? { if case .string(let text) = self { text } else { nil } }
    /// The number, if it is one.
    var number: Double? { if case .number(let number) = self { number } else { nil } }
    /// The elements, if it is an array.
    var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    /// The value as JSON; objects of the outer `depth` levels have a line for each member.
    func encoded(depth: Int = 3, indent: String = "") -> String {
        let (inner, gap) = (indent + "  ", depth > 0 ? "\n" : "")
        let (start, end) = depth > 0 ? (inner, gap + indent) : ("", "")
        switch self {
        case .object(let members):
            let parts = members.map { member in
                "\(start)\(Self.quoted(member.key)): " + member.value.encoded(depth: depth - 1, indent: inner)
            }
            return members.isEmpty ? "{}" : "{" + gap + parts.joined(separator: depth > 0 ? ",\n" : ", ") + end + "}"
        case .array(let elements):
            let parts = elements.map { start + $0.encoded(depth: depth - 1, indent: inner) }
            return elements.isEmpty ? "[]" : "[" + gap + parts.joined(separator: depth > 0 ? ",\n" : ", ") + end + "]"
        case .string(let text): return Self.quoted(text)
        case .number(let number):
            guard number.isFinite else { return "null" }
            return number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : Self.trimmed(number)
        case .boolean(let flag): return flag ? "true" : "false"
        case .null: return "null"
        }
    }

    private static func trimmed(_ number: Double) -> String {
        guard abs(number) < 1e9 else { return "\(number)" }
        var text = Decimals.text(number, 6)
        while text.hasSuffix("0") { text.removeLast() }
        return text.hasSuffix(".") ? text + "0" : text
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\u{0}"..<"\u{20}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
