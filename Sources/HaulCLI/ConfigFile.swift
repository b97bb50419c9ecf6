/// Options that count for every run: one long option a line, without its hyphens.
struct ConfigFile: Sendable {
    /// Where the file is, for messages.
    let path: String
    /// What is in it.
    let text: String

    /// Largest file that is read, in bytes.
    private static let limit = 1 << 20
    /// Options that make no sense for every run.
    private static let excluded: Set<String> = ["help", "version", "no-config"]

    /// Whether the file counts for what was typed: help, manual and demonstration are the same for everybody.
    static func counts(for arguments: Arguments) -> Bool {
        guard arguments.help == nil, !arguments.version, !arguments.noConfig else { return false }
        switch arguments.command {
        case nil, .status, .verify, .doctor: return true
        case .demo, .man, .completions, .help: return false
        }
    }

    /// Reads the user's file.
    ///
    /// - Parameter environment: looks up a variable.
    /// - Returns: nil if there is none.
    /// - Throws: why it can't be read.
    static func read(_ environment: (String) -> String?) throws(UsageError) -> ConfigFile? {
        guard let path = path(environment) else { return nil }
        guard let reason = Platform.reasonUnreadable(path) else { return try read(path) }
        if reason == Platform.message(Platform.noSuchFile) || reason == Platform.message(Platform.notDirectory) {
            return nil
        }
        throw UsageError("can't read \(Printable.escaping(path)): \(reason): mend it, or use --no-config")
    }

    /// Where the file is: in `XDG_CONFIG_HOME` if that is an absolute path, else in `.config` in the home directory.
    static func path(_ environment: (String) -> String?) -> String? {
        if let directory = environment("XDG_CONFIG_HOME"), directory.hasPrefix("/") {
            return directory + "/haul/config"
        }
        guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
        return home + "/.config/haul/config"
    }

    /// Reads the options.
    ///
    /// - Throws: which line can't be used and why.
    func arguments() throws(UsageError) -> Arguments {
        var arguments = Arguments()
        var number = 0
        // Editors on Windows put a byte order mark in front.
        let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            let line = Self.trimmed(line)
            if line.isEmpty || line.hasPrefix("#") { continue }
            do throws(UsageError) {
                try Self.apply(line, to: &arguments)
            } catch {
                throw UsageError("\(Printable.escaping(path)):\(number): \(error.message)")
            }
        }
        return arguments
    }

    private static func apply(_ line: Substring, to arguments: inout Arguments) throws(UsageError) {
        let line = line.hasPrefix("--") ? line.dropFirst(2) : line
        let name = line.prefix { $0 != "=" && !$0.isWhitespace }
        guard let flag = FlagTable.flag(long: name) else { throw unknown(name) }
        guard !excluded.contains(flag.long) else {
            throw UsageError("option '\(name)' can't be in a config file: give it on the command line")
        }
        var rest = trimmed(line.dropFirst(name.count))
        let hasValue = !rest.isEmpty
        if rest.hasPrefix("=") { rest = trimmed(rest.dropFirst()) }
        if rest.count >= 2, rest.hasPrefix("\""), rest.hasSuffix("\"") { rest = rest.dropFirst().dropLast() }
        guard let variable = flag.variable else {
            guard !hasValue else { throw UsageError("option '\(name)' takes no value") }
            return try flag.apply(&arguments, FlagValue(spelling: flag.long, text: ""))
        }
        guard hasValue else { throw UsageError("option '\(name)' needs a value: \(variable)") }
        try flag.apply(&arguments, FlagValue(spelling: flag.long, text: String(rest)))
    }

    /// The error for what is no long name; one letter, with or without a hyphen, is known on the command line only.
    private static func unknown(_ name: Substring) -> UsageError {
        let word = name.hasPrefix("-") ? name.dropFirst() : name
        let isLetter = word.count == 1 || name.hasPrefix("-")
        guard isLetter, let flag = word.first.flatMap({ FlagTable.flag(short: $0) }) else {
            return ArgumentParser.unknown(name, hyphens: "")
        }
        let value = flag.variable.map { " " + $0 } ?? ""
        return UsageError("unknown option '\(Printable.escaping(name))': write '\(flag.long)\(value)'")
    }

    private static func read(_ path: String) throws(UsageError) -> ConfigFile? {
        guard let file = ReadableFile(path) else { return nil }
        var bytes: [UInt8] = []
        _ = file.read { piece, _ in
            bytes += piece
            return bytes.count <= limit
        }
        let shown = Printable.escaping(path)
        guard bytes.count <= limit else {
            throw UsageError("\(shown) is longer than 1 MiB: this is no config file, use --no-config")
        }
        guard !bytes.contains(0) else { throw UsageError("\(shown) is no text: mend it, or use --no-config") }
        return ConfigFile(path: path, text: String(decoding: bytes, as: UTF8.self))
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text
    }
}
