/// Reads JSON, as far as files of this program need it: everything but surrogate pairs.
struct JSONReader {
    private let bytes: [UInt8]
    private var place = 0

    /// Reads a text.
    ///
    /// - Throws: where it is no JSON.
    static func value(of text: String) throws(BenchmarkFailure) -> JSONValue {
        var reader = JSONReader(bytes: Array(text.utf8))
        let value = try reader.value()
        reader.skipSpace()
        guard reader.place == reader.bytes.count else { throw reader.failure("something follows the value") }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8 { place < bytes.count ? bytes[place] : 0 }

    private func failure(_ message: String) -> BenchmarkFailure {
        let line = bytes[..<min(place, bytes.count)].count { $0 == 10 } + 1
        return BenchmarkFailure("JSON, line \(line): \(message)")
    }

    private mutating func skipSpace() {
        while [9, 10, 13, 32].contains(next) { place += 1 }
    }

    private mutating func take(_ character: Character) -> Bool {
        skipSpace()
        guard next == character.asciiValue else { return false }
        place += 1
        return true
    }

    private mutating func value() throws(BenchmarkFailure) -> JSONValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        default: return try word()
        }
    }

    private mutating func object() throws(BenchmarkFailure) -> JSONValue {
        place += 1
        var members: [(key: String, value: JSONValue)] = []
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw failure("a name is missing") }
            let key = try string()
            guard take(":") else { throw failure("':' is missing") }
            members.append((key, try value()))
        } while take(",")
        guard take("}") else { throw failure("'}' is missing") }
        return .object(members)
    }

    private mutating func array() throws(BenchmarkFailure) -> JSONValue {
        place += 1
        var elements: [JSONValue] = []
        if take("]") { return .array(elements) }
        repeat { elements.append(try value()) } while take(",")
        guard take("]") else { throw failure("']' is missing") }
        return .array(elements)
    }

    private mutating func string() throws(BenchmarkFailure) -> String {
        place += 1
        var text: [UInt8] = []
        while next != UInt8(ascii: "\"") {
            guard next >= 32 else { throw failure("a string does not end") }
            guard next == UInt8(ascii: "\\") else {
                text.append(next)
                place += 1
                continue
            }
            place += 1
            switch next {
            case UInt8(ascii: "n"): text.append(10)
            case UInt8(ascii: "t"): text.append(9)
            case UInt8(ascii: "r"): text.append(13)
            case UInt8(ascii: "b"): text.append(8)
            case UInt8(ascii: "f"): text.append(12)
            case UInt8(ascii: "u"):
                let digits = String(decoding: bytes[place...].dropFirst().prefix(4), as: UTF8.self)
                guard let code = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(code) else {
                    throw failure("'\\u\(digits)' is no character")
                }
                text += Array(String(Character(scalar)).utf8)
                place += 4
            default: text.append(next)
            }
            place += 1
        }
        place += 1
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func word() throws(BenchmarkFailure) -> JSONValue {
        let start = place
        while next > 32, !",]}".utf8.contains(next) { place += 1 }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        default:
            guard let number = Double(text) else { throw failure("'\(text)' is no value") }
            return .number(number)
        }
    }
}
