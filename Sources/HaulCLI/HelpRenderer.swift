import Haul

/// Makes both helps from the tables of options and commands.
enum HelpRenderer {
    /// Columns that help takes, whatever the terminal: it is often piped.
    private static let width = 80
    /// Column at which explanations begin.
    private static let indent = 30

    /// The output of `haul -h`: what most people need, the most important first.
    static var short: String {
        let flags = FlagTable.all.filter { $0.rank != nil }.sorted { ($0.rank ?? 0) < ($1.rank ?? 0) }
        var text = heading + "\n"
        for flag in flags { text += entry(flag.usage, flag.summary) }
        return text + "\nhaul --help lists all options. haul demo shows everything without a network.\n"
    }

    /// The output of `haul --help`: everything, by category.
    static var full: String {
        var text = heading
        for category in Flag.Category.allCases {
            text += "\n\(category.rawValue) options:\n"
            for flag in FlagTable.all where flag.category == category {
                text += entry(flag.usage, explanation(flag))
            }
        }
        text += "\nCommands:\n"
        for command in Command.allCases {
            text += entry(
                ([command.rawValue] + (command.operand.map { [$0] } ?? [])).joined(separator: " "), command.summary)
        }
        text += "\nExit status:\n"
        for row in ExitStatus.table { text += entry(row.code, row.meaning) }
        return text
    }

    /// The output of `haul COMMAND --help`: what it does, and the options that it takes.
    static func help(of command: Command) -> String {
        let flags = FlagTable.all.filter(command.accepts)
        let words = [command.rawValue] + (flags.isEmpty ? [] : ["[OPTIONS]"]) + (command.operand.map { [$0] } ?? [])
        let summary = command.summary.prefix(1).uppercased() + command.summary.dropFirst() + "."
        var text = wrapping(summary, to: width).joined(separator: "\n") + "\n\n"
        text += "Usage: haul \(words.joined(separator: " "))\n"
        if !flags.isEmpty { text += "\nOptions:\n" }
        for flag in flags { text += entry(flag.usage, explanation(flag)) }
        return text + "\nhaul --help lists all options and commands.\n"
    }

    /// The output of `haul --version`.
    static var version: String {
        let components = Build.components
        return "haul \(Build.version)\n" + (components.isEmpty ? "" : components + "\n")
    }

    /// Summary and details as one text.
    static func explanation(_ flag: Flag) -> String {
        flag.details.isEmpty ? flag.summary : "\(flag.summary). \(flag.details)"
    }

    /// Breaks a text into lines of at most so many columns.
    static func wrapping(_ text: String, to columns: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > columns {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return lines + [line]
    }

    private static var heading: String {
        """
        Fetches files over several connections at once, goes on where it was
        interrupted, and verifies what arrived.

        Usage: haul [OPTIONS] URL...

        """
    }

    private static func entry(_ name: String, _ text: String) -> String {
        var result = "  " + name
        let blank = String(repeating: " ", count: indent)
        if result.count + 2 > indent {
            result += "\n" + blank
        } else {
            result += blank.dropFirst(result.count)
        }
        return result + wrapping(text, to: width - indent).joined(separator: "\n" + blank) + "\n"
    }
}
