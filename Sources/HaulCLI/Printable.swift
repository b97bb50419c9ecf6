/// Text from servers and arguments, made safe for a terminal and for one line.
enum Printable {
    /// Writes characters that would steer a terminal or break the line as escapes.
    ///
    /// That is control characters (C0, DEL, C1), line and paragraph separators, and marks that turn the direction of
    /// writing. Everything else stays as it is.
    static func escaping(_ text: some StringProtocol) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return String(text) }
        guard text.unicodeScalars.contains(where: mustEscape) else { return String(text) }
        var result = ""
        for scalar in text.unicodeScalars {
            guard mustEscape(scalar) else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x100: result += "\\x" + hex(scalar.value, digits: 2)
            default: result += "\\u{" + hex(scalar.value, digits: 4) + "}"
            }
        }
        return result
    }

    /// Columns that a text takes on a terminal: wide East Asian characters and emoji take two, marks take none.
    static func columns(_ text: some StringProtocol) -> Int {
        text.reduce(0) { $0 + columns($1) }
    }

    /// Shortens a text to a number of columns, with a mark in its middle, so that an extension stays in sight.
    ///
    /// - Parameters:
    ///   - text: text without control characters.
    ///   - limit: columns it may take.
    ///   - mark: one column that stands for what was left out.
    /// - Returns: at most `limit` columns.
    static func shortening(_ text: String, to limit: Int, mark: Character) -> String {
        guard columns(text) > limit else { return text }
        guard limit > 1 else { return limit == 1 ? String(mark) : "" }
        let tail = take(text.reversed(), columns: (limit - 1) / 2)
        let head = take(text, columns: limit - 1 - columns(String(tail)))
        return String(head) + String(mark) + String(tail.reversed())
    }

    /// Shortens a text as `shortening(_:to:mark:)` does, and keeps what tells it from others in sight.
    ///
    /// - Parameters:
    ///   - text: text without control characters.
    ///   - limit: columns it may take.
    ///   - mark: one column that stands for what was left out.
    ///   - place: number of the character that is to stay, with a few before it.
    /// - Returns: at most `limit` columns.
    static func shortening(_ text: String, to limit: Int, mark: Character, keeping place: Int) -> String {
        let plain = shortening(text, to: limit, mark: mark)
        let characters = Array(text)
        // Where characters are wide, what is cut how is not worth the trouble.
        guard limit >= 8, columns(text) > limit, columns(text) == characters.count, place < characters.count else {
            return plain
        }
        let tail = (limit - 1) / 2
        guard place >= limit - 1 - tail, place < characters.count - tail else { return plain }
        let room = limit - 3
        let (end, before) = (room / 3, room / 3)
        let head = room - end - before
        let middle = characters[max(head, place - before)...place]
        let gaps = [middle.startIndex > head ? String(mark) : "", String(mark)]
        let last = characters.suffix(limit - head - middle.count - gaps.joined().count)
        return String(characters.prefix(head)) + gaps[0] + String(middle) + gaps[1] + String(last)
    }

    /// Cuts off the end of a sentence, whose beginning says the most.
    ///
    /// - Parameters:
    ///   - text: text without control characters.
    ///   - limit: columns it may take.
    ///   - mark: one column that stands for what was left out.
    /// - Returns: at most `limit` columns.
    static func cutting(_ text: String, to limit: Int, mark: Character) -> String {
        guard columns(text) > limit else { return text }
        return limit < 1 ? "" : String(take(text, columns: limit - 1)) + String(mark)
    }

    /// Unsigned number in lower-case hexadecimal with leading zeros.
    static func hex(_ value: UInt32, digits: Int) -> String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func take(_ text: some Sequence<Character>, columns limit: Int) -> [Character] {
        var used = 0
        return Array(
            text.prefix { character in
                used += columns(character)
                return used <= limit
            })
    }

    private static func columns(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return isWide(scalar.value) ? 2 : 1
        }
    }

    /// Ranges of East Asian Width W and F (UAX #11), coarse.
    private static func isWide(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
            0x20000...0x3FFFD:
            true
        default: false
        }
    }

    private static func mustEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
