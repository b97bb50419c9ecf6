import Haul

/// One occurrence of an option: how it was spelled and what value came with it.
struct FlagValue: Hashable, Sendable {
    /// The option as typed, such as `-n` or `--connections`.
    let spelling: String
    /// Its value; empty for an option that takes none.
    let text: String

    /// The value, which must not be empty.
    func nonEmpty() throws(UsageError) -> String {
        guard !text.isEmpty else { throw UsageError("option '\(spelling)' has an empty value") }
        return text
    }

    /// The value as a whole number within bounds, nil for the word `auto`.
    func integerOrAuto(in bounds: ClosedRange<Int>) throws(UsageError) -> Int? {
        if text == "auto" { return nil }
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(text), bounds.contains(number) else {
            throw bad("auto, or a whole number from \(bounds.lowerBound) to \(bounds.upperBound), is needed")
        }
        return number
    }

    /// The value as a whole number within bounds.
    func integer(in bounds: ClosedRange<Int>) throws(UsageError) -> Int {
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(text), bounds.contains(number) else {
            throw bad("a whole number from \(bounds.lowerBound) to \(bounds.upperBound) is needed")
        }
        return number
    }

    /// The value as a size above zero.
    func size() throws(UsageError) -> Int64 {
        guard let bytes = ByteCount.parse(text), bytes > 0 else {
            if ByteCount.parse(text) == 0 { throw bad("a size above 0 is needed") }
            let unit = text.drop { $0.isASCII && ($0.isNumber || $0 == ".") }
            let number = text.dropLast(unit.count)
            if !number.isEmpty, !number.contains("."), ByteCount.parse("1" + unit) != nil {
                throw bad("a size below 8388608T is needed")
            }
            throw bad("a size is needed, such as 8M, 8MiB or 8388608 (K, M, G, T are powers of 1024)")
        }
        return bytes
    }

    /// The value as a duration above zero.
    func duration() throws(UsageError) -> Duration {
        guard let duration = TimeSpan.parse(text), duration > .zero else {
            throw bad("seconds from 0.001 to \(TimeSpan.longest) are needed, such as 15 or 0.5")
        }
        return duration
    }

    /// The value as a range, `FIRST-LAST`, `FIRST-` or `-COUNT`.
    func range() throws(UsageError) -> DownloadRequest.RequestedRange {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.map { part in
            part.allSatisfy { $0.isASCII && $0.isNumber } ? Int64(part) : nil
        }
        guard parts.count == 2, zip(parts, numbers).allSatisfy({ $0.isEmpty || $1 != nil }) else {
            throw bad("FIRST-LAST, FIRST- or -COUNT is needed, in bytes")
        }
        switch (numbers[0], numbers[1]) {
        case (let first?, let last?) where last >= first && last < .max: return .bytes(first..<last + 1)
        case (let first?, nil): return .from(first)
        case (nil, let count?) where count > 0: return .last(count)
        default: throw bad("it holds no byte: FIRST-LAST, FIRST- or -COUNT is needed")
        }
    }

    /// The value as one of some words.
    func choice<Word: RawRepresentable & CaseIterable>(of _: Word.Type) throws(UsageError) -> Word
    where Word.RawValue == String {
        guard let word = Word(rawValue: text) else {
            throw bad("use one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }

    /// The value as a checksum.
    func checksum() throws(UsageError) -> Checksum {
        do {
            return try Checksum(text)
        } catch {
            throw UsageError("option '\(spelling)': \(Printable.escaping(error.message))")
        }
    }

    /// The value as a field line, `Name: value`; messages never show it, since it may be a secret.
    func header() throws(UsageError) -> String {
        let name = text.prefix { $0 != ":" }
        guard name.endIndex < text.endIndex, !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else {
            throw UsageError("bad value for '\(spelling)': a line 'Name: value' is needed")
        }
        guard isFieldValue else {
            throw UsageError("bad value for '\(spelling)': control characters are not allowed in a header")
        }
        guard !Self.ownHeaders.contains(name.lowercased()) else {
            throw UsageError("bad value for '\(spelling)': haul sets \(name) itself")
        }
        return text
    }

    /// The value as that of a field, which must not be empty.
    func fieldValue() throws(UsageError) -> String {
        let text = try nonEmpty()
        guard isFieldValue else { throw bad("a line without control characters is needed") }
        return text
    }

    /// Whether it may stand in a field: whatever ends the line would let it smuggle in further fields.
    private var isFieldValue: Bool {
        !text.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\t") || $0.value == 0x7F }
    }

    /// The value as name and password; messages never show it.
    func credentials() throws(UsageError) -> (name: String, password: String) {
        guard let colon = text.firstIndex(of: ":") else {
            throw UsageError("option '\(spelling)' has no password: write NAME:PASSWORD, or NAME: for an empty one")
        }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    /// The error for this value.
    private func bad(_ need: String) -> UsageError {
        UsageError("bad value '\(Printable.escaping(text))' for '\(spelling)': \(need)")
    }

    /// Fields whose meaning the engine depends on.
    private static let ownHeaders: Set<String> = [
        "accept-encoding", "connection", "content-length", "host", "if-range", "range", "te", "transfer-encoding",
    ]

    /// Whether a byte may be in a field name (RFC 9110 §5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
