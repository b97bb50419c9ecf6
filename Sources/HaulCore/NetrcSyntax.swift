/// The syntax of netrc files, as far as libcurl and wget agree on it: finds what neither can mean.
///
/// Keywords are told apart from their values by place alone, so that a value may be any word. Both may stand on different
/// lines. Reasons never show a word of the file: one in a wrong place may be a part of a password.
package struct NetrcSyntax {
    /// The first mistake of a file.
    package struct Problem: Error, Hashable, Sendable {
        /// Number of its line, from 1.
        package let line: Int
        /// What is wrong and what to do, in one line.
        package let reason: String
    }

    /// A word of a line.
    private struct Word {
        var bytes: [UInt8]
        var isQuoted: Bool

        /// The keyword that it is, if it is one: they are known in any case.
        var keyword: Keyword? { Keyword(rawValue: String(decoding: bytes, as: UTF8.self).lowercased()) }
    }

    /// What begins an entry or says what follows; `port` and `force` are wget's alone, and mean nothing to libcurl.
    private enum Keyword: String {
        case machine, `default`, login, password, account, port, force, macdef
    }

    /// The keyword whose value comes next, and its line.
    private var open: (keyword: Keyword, line: Int)?
    private var hasEntry = false
    private var isInMacro = false

    /// Looks for the first mistake.
    ///
    /// - Parameter bytes: the file.
    /// - Throws: where it is. A macro without an end is none, nor is a file without entries.
    package static func check(_ bytes: [UInt8]) throws(Problem) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw Problem(line: 1, reason: "the file begins with a byte order mark: save it as plain text without one")
        }
        var syntax = NetrcSyntax()
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            try syntax.take(line, number)
        }
        if let open = syntax.open { throw noValue(open) }
    }

    private mutating func take(_ line: ArraySlice<UInt8>, _ number: Int) throws(Problem) {
        if isInMacro {
            // Its body is not netrc, and ends at an empty line.
            if line.isEmpty || line.first == UInt8(ascii: "\r") { isInMacro = false }
            return
        }
        var rest = line
        while let word = try Self.nextWord(of: &rest, number) {
            if let open {
                // On another line a keyword is a keyword: nobody names a password so and puts it there.
                if open.line < number, !word.isQuoted, word.keyword != nil { throw Self.noValue(open) }
                self.open = nil
            } else {
                try take(word, number)
                if isInMacro { return }
            }
        }
    }

    private mutating func take(_ word: Word, _ number: Int) throws(Problem) {
        switch word.keyword {
        case .machine:
            hasEntry = true
            open = (.machine, number)
        case .default: hasEntry = true
        case .macdef: isInMacro = true
        case .login?, .password?, .account?, .port?, .force?:
            guard let keyword = word.keyword, hasEntry else {
                let name = word.keyword?.rawValue ?? ""
                throw Problem(
                    line: number,
                    reason: "'\(name)' stands before any machine: write 'machine HOST' or 'default' above it")
            }
            open = (keyword, number)
        case nil:
            throw Problem(
                line: number,
                reason: "a word that is no keyword: write machine, default, login, password, account or macdef, "
                    + "and put a value with spaces into quotes")
        }
    }

    private static func noValue(_ open: (keyword: Keyword, line: Int)) -> Problem {
        Problem(
            line: open.line,
            reason: "'\(open.keyword.rawValue)' has no value: write it behind, in quotes if it begins with #")
    }

    /// Cuts the next word off, quotes taken away; nil at the end of the line and before a comment.
    private static func nextWord(of rest: inout ArraySlice<UInt8>, _ number: Int) throws(Problem) -> Word? {
        rest = rest.drop(while: isSpace)
        guard let first = rest.first, first != UInt8(ascii: "#") else { return nil }
        guard first == UInt8(ascii: "\"") else {
            let word = rest.prefix { !isSpace($0) }
            rest = rest.dropFirst(word.count)
            return Word(bytes: Array(word), isQuoted: false)
        }
        rest = rest.dropFirst()
        var word = Word(bytes: [], isQuoted: true)
        var isEscaped = false
        while let byte = rest.popFirst() {
            if !isEscaped, byte == UInt8(ascii: "\"") { return word }
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
            if !isEscaped { word.bytes.append(byte) }
        }
        throw Problem(
            line: number, reason: "a quote is not closed: end it on its line, and write \\\" for a quote inside")
    }

    /// Space, tab, line feed, vertical tab, form feed, carriage return: isspace(3).
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
