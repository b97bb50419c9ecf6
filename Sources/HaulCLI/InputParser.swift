/// Reads aria2's input format: a line of addresses, separated by tabs, then indented lines of options for it.
///
/// Lines that begin with `#` and empty ones mean nothing. Where the first address is indented, as in text that was copied
/// from elsewhere, all may be.
struct InputParser {
    /// Options that are understood.
    static let keys = [
        "out", "dir", "checksum", "header", "split", "max-connection-per-server", "referer", "user-agent",
    ]

    /// What a line led to.
    enum Finding: Hashable, Sendable {
        /// A download is complete: the next begins, or the file ends.
        case item(InputItem)
        /// A line can't be used.
        case problem(line: Int, String)
        /// A line is passed over.
        case warning(line: Int, String)
    }

    private var item: InputItem?
    private var number = 0
    private var unknown: Set<String> = []
    /// Whether the first address is indented.
    private var indentsAddresses = false
    private var hasBegun = false

    /// Number of the line that comes next, from 1.
    var nextLine: Int { number + 1 }

    /// Takes the next line.
    ///
    /// - Parameters:
    ///   - line: the line.
    ///   - body: gets what it led to.
    mutating func take(_ line: LineSplitter.Line, _ body: (Finding) -> Void) {
        number += 1
        switch line {
        case .broken(let reason, let isIndented):
            body(.problem(line: number, reason))
            if !isIndented {
                finish(body)
                // What is indented below it belongs to it.
                item = InputItem(line: number, urls: [])
            }
            item?.isBroken = true
        case .text(var text):
            // Editors on Windows put a byte order mark in front.
            if number == 1, text.hasPrefix("\u{FEFF}") { text.removeFirst() }
            guard let first = text.first, first != "#" else { return }
            guard text.contains(where: { !$0.isWhitespace }) else { return }
            let isIndented = first == " " || first == "\t"
            if isIndented, !hasBegun { indentsAddresses = Self.isAddress(text) }
            if !isIndented || !Self.isComment(text) { hasBegun = true }
            if isIndented, !indentsAddresses || !Self.isAddress(text) {
                option(text, body)
            } else {
                finish(body)
                item = InputItem(line: number, urls: Self.addresses(text))
            }
        }
    }

    /// The file ends.
    mutating func finish(_ body: (Finding) -> Void) {
        if let item { body(.item(item)) }
        item = nil
    }

    private mutating func option(_ text: String, _ body: (Finding) -> Void) {
        let text = Self.trimmed(text[...])
        if text.hasPrefix("#") { return }
        if Self.isAddress(text) {
            item?.isBroken = true
            let message =
                item.map {
                    "white space before an address makes it an option of line \($0.line): remove it, or write a "
                }
                ?? "white space before an address makes it an option: remove it, or write a "
            return body(.problem(line: number, message + "mirror behind a tab on the line of the file's first address"))
        }
        guard item != nil else { return body(.problem(line: number, "an option without an address above it")) }
        guard let equals = text.firstIndex(of: "=") else {
            item?.isBroken = true
            let shown = Printable.escaping(text.prefix(80))
            return body(.problem(line: number, "'\(shown)' is no option: write name=value"))
        }
        let key = Self.trimmed(text[..<equals])
        guard Self.keys.contains(key) else {
            // A long list may say the same for every file.
            guard unknown.count < 100, unknown.insert(key).inserted else { return }
            let closest = Spelling.closest(to: key[...], among: Self.keys).map { ": did you mean '\($0)'?" }
            return body(
                .warning(
                    line: number,
                    "unknown option '\(Printable.escaping(key.prefix(80)))' is passed over" + (closest ?? "")))
        }
        let value = Self.trimmed(text[text.index(after: equals)...])
        item?.options.append(InputItem.Option(line: number, value: FlagValue(spelling: key, text: value)))
    }

    private static func isComment(_ text: String) -> Bool { text.first { !$0.isWhitespace } == "#" }

    /// Whether a line begins with an address, as no option's name does.
    private static func isAddress(_ text: String) -> Bool {
        let word = text.drop(while: \.isWhitespace).prefix { !$0.isWhitespace && $0 != "=" }
        guard let end = word.firstRange(of: "://") else { return false }
        return end.lowerBound > word.startIndex && word[..<end.lowerBound].allSatisfy { $0.isASCII && $0.isLetter }
    }

    private static func addresses(_ text: String) -> [String] {
        let tab = UInt8(ascii: "\t")
        guard text.utf8.contains(tab) else { return [trimmed(text[...])] }
        return text.utf8.split(separator: tab).map { trimmed(Substring($0)) }.filter { !$0.isEmpty }
    }

    private static func trimmed(_ text: Substring) -> String {
        // White space is not above these, but for what takes more than a byte.
        let visible = UInt8(ascii: "!")...UInt8(ascii: "~")
        if let first = text.utf8.first, let last = text.utf8.last, visible.contains(first), visible.contains(last) {
            return String(text)
        }
        var text = text
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
