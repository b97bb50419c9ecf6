/// Names for files that nobody named: from the server, from the address, and harmless whatever those say.
package enum SuggestedName {
    /// What haul calls files on their way; no finished file may be called so.
    package static let ownSuffixes = [".haul", ".haul-journal"]
    /// The name of a file about which nothing is known.
    package static let fallback = "download"
    /// Longest name in bytes: what file systems allow, less the longest of haul's own suffixes.
    package static let longest = 255 - ".haul-journal".utf8.count

    /// The name for a download.
    ///
    /// - Parameters:
    ///   - contentDisposition: that field of the answer, if there was one.
    ///   - path: path of the address that was given, percent-encoded.
    ///   - finalPath: path of the address that answered.
    /// - Returns: one harmless path component.
    package static func choose(contentDisposition: String?, path: String, finalPath: String? = nil) -> String {
        contentDisposition.flatMap { fromDisposition($0) } ?? fromPath(path) ?? finalPath.flatMap { fromPath($0) }
            ?? fallback
    }

    /// The name in a `Content-Disposition` field, made harmless; nil if there is none.
    package static func fromDisposition(_ text: String) -> String? {
        ContentDisposition.fileName(text).flatMap { harmless($0) }
    }

    /// The last part of a percent-encoded path, decoded and made harmless; nil if it is empty.
    package static func fromPath(_ path: String) -> String? {
        let last = PathParts(path).name
        if isPlain(last.utf8) { return String(last) }
        return harmless(ContentDisposition.percentDecoded(last).map { ContentDisposition.text($0) } ?? String(last))
    }

    /// `name` with a number for the second and further files of one name, as `name (2).ext`.
    package static func numbered(_ name: String, _ number: Int) -> String {
        let (stem, ending) = parts(name)
        let mark = " (\(number))" + ending
        return cut(stem, to: longest - mark.utf8.count) + mark
    }

    /// What is left of `name` when it is one component that cannot do harm; nil if nothing is.
    ///
    /// Works on scalars: a combining mark behind a separator or a dot makes another character of it for Swift, but not
    /// for the file system.
    package static func harmless(_ name: String) -> String? {
        if isPlain(name.utf8) { return name }
        let visible = name.unicodeScalars.filter { isVisible($0) }
        let component = visible.suffix(
            from: visible.lastIndex { $0 == "/" || $0 == "\\" }.map { visible.index(after: $0) }
                ?? visible.startIndex)
        var result = trimmed(String(String.UnicodeScalarView(component)))
        if result.utf8.count > longest {
            let (stem, ending) = parts(result)
            result = trimmed(cut(stem, to: longest - ending.utf8.count) + ending)
        }
        return result.isEmpty ? nil : result
    }

    // MARK: - Parts

    /// Whether a name is harmless as it stands, and as it stands in an address: most are, and the long way is ten times
    /// as long.
    private static func isPlain(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        guard name.first != UInt8(ascii: "."), let last = name.last, last != UInt8(ascii: ".") else { return false }
        var count = 0
        for byte in name {
            count += 1
            guard (0x21...0x7E).contains(byte), byte != UInt8(ascii: "/"), byte != UInt8(ascii: "\\"),
                byte != UInt8(ascii: "%")
            else { return false }
        }
        // The last letter of haul's own suffixes.
        return count <= longest && last | 0x20 != UInt8(ascii: "l")
    }

    /// Stem and ending of a name.
    ///
    /// An ending is short and plain, with a stem before it; `.tar.gz` and its kin are one ending.
    private static func parts(_ name: String) -> (stem: String, ending: String) {
        let (stem, ending) = lastEnding(name)
        let (inner, archive) = lastEnding(stem)
        return HTTPFields.equal(archive, ".tar") && !ending.isEmpty ? (inner, archive + ending) : (stem, ending)
    }

    private static func lastEnding(_ name: String) -> (stem: String, ending: String) {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return (name, "") }
        let ending = name[dot...]
        let isPlain = ending.utf8.dropFirst().allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        }
        return isPlain && (2...17).contains(ending.utf8.count) ? (String(name[..<dot]), String(ending)) : (name, "")
    }

    /// The characters of `text` that fit into `limit` bytes; scalars if not even the first character fits.
    private static func cut(_ text: String, to limit: Int) -> String {
        if text.utf8.count <= limit { return text }
        var length = 0
        let fitting = text.prefix { character in
            length += character.utf8.count
            return length <= limit
        }
        if !fitting.isEmpty { return String(fitting) }
        length = 0
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix { scalar in
                    length += UTF8.width(scalar)
                    return length <= limit
                }))
    }

    /// `name` without dots and white space at its ends, and without haul's own suffixes.
    private static func trimmed(_ name: String) -> String {
        var scalars = name.unicodeScalars[...]
        while true {
            scalars = scalars.drop { isEdge($0) }
            while let last = scalars.last, isEdge(last) { scalars.removeLast() }
            guard let own = ownSuffixes.first(where: { endsWith(scalars, $0) }) else { return String(scalars) }
            scalars.removeLast(own.unicodeScalars.count)
        }
    }

    private static func endsWith(_ scalars: Substring.UnicodeScalarView, _ suffix: String) -> Bool {
        HTTPFields.equal(String(scalars.suffix(suffix.unicodeScalars.count)), suffix)
    }

    private static func isEdge(_ scalar: Unicode.Scalar) -> Bool {
        // The tables of Unicode are slow, and most names need none.
        if scalar.isASCII { return scalar == "." || scalar == " " || (0x09...0x0D).contains(scalar.value) }
        return scalar.properties.isWhitespace
    }

    /// Neither a control character nor one that reorders or hides its neighbours; joiners are part of words and emoji.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x20...0x7E).contains(scalar.value) }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
        default: true
        }
    }
}
