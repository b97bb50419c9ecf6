/// Turns words of the command line into `Arguments` by the rules of GNU `getopt_long`, without abbreviations.
///
/// Options may stand anywhere before `--`. `--name=value`, `--name value`, `-xvalue`, `-x value` and bundles such as
/// `-qn8` all work; the word after an option that takes a value is its value, whatever it begins with.
struct ArgumentParser {
    private var words: ArraySlice<String>
    private var arguments: Arguments

    private init(_ words: [String], _ arguments: Arguments) {
        self.words = words[...]
        self.arguments = arguments
    }

    /// Parses words, the program's own name not among them.
    ///
    /// - Parameters:
    ///   - words: what was typed.
    ///   - base: what counts where nothing else was typed.
    /// - Returns: what was typed.
    /// - Throws: what is wrong with the first word that can't be used.
    static func parse(_ words: [String], over base: Arguments = Arguments()) throws(UsageError) -> Arguments {
        var parser = ArgumentParser(words, base)
        while let word = parser.words.popFirst() {
            if word == "--" {
                parser.arguments.positionals += parser.words
                break
            } else if word.hasPrefix("--") {
                try parser.long(word.dropFirst(2))
            } else if word.hasPrefix("-"), word != "-" {
                try parser.bundle(word)
            } else {
                parser.arguments.positionals.append(word)
            }
        }
        return parser.arguments
    }

    private mutating func long(_ word: Substring) throws(UsageError) {
        let name = word.prefix { $0 != "=" }
        let spelling = "--" + name
        guard let flag = FlagTable.flag(long: name) else { throw Self.unknown(name) }
        let hasValue = name.endIndex < word.endIndex
        let value = hasValue ? String(word[word.index(after: name.endIndex)...]) : nil
        if flag.variable == nil, hasValue { throw UsageError("option '\(spelling)' takes no value") }
        try apply(flag, spelling: spelling, attached: value)
    }

    private mutating func bundle(_ word: String) throws(UsageError) {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            guard let flag = FlagTable.flag(short: letter) else {
                let place = word.count > 2 ? " in '\(Printable.escaping(word))'" : ""
                let name = Printable.escaping(String(letter))
                throw UsageError("unknown option '-\(name)'\(place): haul --help lists all options")
            }
            let attached = flag.variable != nil && !letters.isEmpty ? String(letters) : nil
            if attached != nil { letters = "" }
            try apply(flag, spelling: "-\(letter)", attached: attached)
        }
    }

    private mutating func apply(_ flag: Flag, spelling: String, attached: String?) throws(UsageError) {
        var value = attached ?? ""
        if let variable = flag.variable, attached == nil {
            guard let next = words.popFirst() else {
                throw UsageError("option '\(spelling)' needs a value: \(variable)")
            }
            value = next
        }
        arguments.spellings.append(spelling)
        try flag.apply(&arguments, FlagValue(spelling: spelling, text: value))
    }

    private static func unknown(_ name: Substring) -> UsageError { unknown(name, hyphens: "--") }

    /// The error for a long name that no option has.
    static func unknown(_ name: Substring, hyphens: String) -> UsageError {
        let closest = Spelling.closest(to: name, among: FlagTable.all.map(\.long))
        let hint = closest.map { "did you mean '\(hyphens)\($0)'?" } ?? "haul --help lists all options"
        return UsageError("unknown option '\(hyphens)\(Printable.escaping(name))': \(hint)")
    }
}
