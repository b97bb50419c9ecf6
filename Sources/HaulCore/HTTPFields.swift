/// One field line of a message: name and value (RFC 9110 §5).
package struct HTTPField: Hashable, Sendable {
    /// Field name as spelled; compared without regard to case.
    package var name: String
    /// Field value without the white space around it.
    package var value: String

    /// Makes a field line.
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Makes sure that the line can be sent without becoming another one or two.
    ///
    /// - Throws: `.transportFailure` for a name that is no token, and for a line break in the value.
    package func checkFraming() throws(TransportError) {
        // A semicolon behind the name is how libcurl is told of an empty value.
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x3A && $0 != 0x3B }) else {
            throw .transportFailure(detail: "“\(name)” is no field name")
        }
        guard !value.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) else {
            throw .transportFailure(detail: "the value of \(name) has a line break in it")
        }
    }
}

/// The field lines of a message, in order, looked up without regard to case (RFC 9110 §5.1).
package struct HTTPFields: Hashable, Sendable {
    /// Every line in the order in which it came.
    package private(set) var lines: [HTTPField] = []

    /// Makes an empty list.
    package init() {}

    /// Makes a list of `lines`.
    package init(_ lines: [HTTPField]) { self.lines = lines }

    /// Adds a line behind the others; a second line of one name is kept beside the first.
    package mutating func append(_ name: String, _ value: String) {
        lines.append(HTTPField(name, value))
    }

    /// Value of the first line called `name`, nil if there is none.
    package subscript(name: String) -> String? {
        lines.first { Self.equal($0.name, name) }?.value
    }

    /// Values of all lines called `name`, in order.
    package func all(_ name: String) -> [String] {
        var values: [String] = []
        for line in lines where Self.equal(line.name, name) { values.append(line.value) }
        return values
    }

    /// The members of every line called `name`, split at commas outside quotes (RFC 9110 §5.6.1), empty ones left out.
    package func list(_ name: String) -> [String] {
        var members: [String] = []
        for field in lines where Self.equal(field.name, name) {
            let line = field.value
            // Most lines have one member, and looking for these bytes is cheap.
            if !line.utf8.contains(where: { $0 == UInt8(ascii: ",") }) {
                members.append(FieldText.trimmed(line))
                continue
            }
            var member = String.UnicodeScalarView()
            var isQuoted = false
            var isEscaped = false
            for scalar in line.unicodeScalars {
                if scalar == ",", !isQuoted {
                    members.append(FieldText.trimmed(String(member)))
                    member = String.UnicodeScalarView()
                    continue
                }
                if scalar == "\"", !isEscaped { isQuoted.toggle() }
                isEscaped = isQuoted && scalar == "\\" && !isEscaped
                member.append(scalar)
            }
            members.append(FieldText.trimmed(String(member)))
        }
        return members.contains("") ? members.filter { !$0.isEmpty } : members
    }

    /// Whether two field names are the same to HTTP: ASCII letters compare without case.
    package static func equal(_ left: String, _ right: String) -> Bool {
        // Most names are spelled alike, and short texts compare at once.
        left.utf8.count == right.utf8.count
            && (left == right || left.utf8.elementsEqual(right.utf8) { $0 == $1 || lowercased($0) == lowercased($1) })
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
