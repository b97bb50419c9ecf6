import Haul

/// Makes the manual page (roff, man macros) from the tables of options, commands and exit statuses.
enum ManualRenderer {
    /// The output of `haul man`, for `man -l -` or a file `haul.1`.
    static var page: String {
        var text = """
            .TH HAUL 1 "" "haul \(escaped(Build.version))" "User Commands"
            .SH NAME
            haul \\- fetch files over several connections at once, resume and verify them
            .SH SYNOPSIS
            .B haul
            .RI [ OPTIONS ]
            .IR URL ...

            """
        for command in Command.allCases {
            text += ".br\n.B haul \(command.rawValue)\n"
            if let operand = command.operand { text += ".I \(operand)\n" }
        }
        text += """
            .SH DESCRIPTION
            haul asks the server for the file, splits it into ranges, fetches them over several connections at once,
            and writes each to its own place in a partial file,
            .IR NAME .haul,
            while
            .IR NAME .haul\\-journal
            records what has arrived. After an interruption of any kind the same command fetches only what is missing.
            The file gets its final name when it is complete and verified, and not before.
            .PP
            Messages and progress go to standard error; standard output is for
            .BR \\-\\-json .
            .SH OPTIONS

            """
        for category in Flag.Category.allCases {
            text += ".SS \(category.rawValue)\n"
            for flag in FlagTable.all where flag.category == category {
                text += ".TP\n\(names(flag))\n\(line(HelpRenderer.explanation(flag) + "."))\n"
            }
        }
        text += ".SH COMMANDS\n"
        for command in Command.allCases {
            text += ".TP\n.B haul \(command.rawValue)\(command.operand.map { " " + $0 } ?? "")\n"
            text += line(command.summary + ".") + "\n"
        }
        text += ".SH EXIT STATUS\n"
        for row in ExitStatus.table { text += ".TP\n.B \(row.code)\n\(line(row.meaning + "."))\n" }
        text += events
        text += """
            .SH FILES
            .TP
            .I $XDG_CONFIG_HOME/haul/config
            Options for every run, or
            .I ~/.config/haul/config
            without that variable: one long option a line, without its hyphens, such as
            .B connections 16
            or
            .BR connections=16 .
            Lines that begin with # are comments. The command line goes before it.
            .SH ENVIRONMENT
            .TP
            .BR http_proxy ", " https_proxy ", " all_proxy ", " no_proxy
            The proxy, and the hosts to reach without it, unless
            .B \\-\\-proxy
            is given.
            .TP
            .B NO_COLOR
            When set and not empty, nothing is coloured.
            .TP
            .B TERM
            When it is dumb or missing, progress is shown as plain lines.

            """
        return text
    }

    private static var events: String {
        var text = ".SH EVENTS\n" + line("With --json, standard output is one JSON object a line. Each says") + "\n"
        text += EventTable.common.map(member).joined()
        for row in EventTable.rows {
            text += ".SS \(row.name)\n\(line(row.meaning + "."))\n" + row.members.map(member).joined()
        }
        return text + ".PP\n" + line("More members and events may come; those that are there stay as they are.") + "\n"
    }

    private static func member(_ member: EventTable.Member) -> String {
        ".TP\n.B \(member.name)\n\(line(member.meaning + "."))\n"
    }

    private static func names(_ flag: Flag) -> String {
        let long = "\\fB\\-\\-\(escaped(flag.long))\\fR"
        let short = flag.short.map { "\\fB\\-\($0)\\fR, " } ?? ""
        return short + long + (flag.variable.map { " \\fI\(escaped($0))\\fR" } ?? "")
    }

    /// Text as one roff line; a full stop is not doubled.
    private static func line(_ text: String) -> String {
        let clean = text.hasSuffix("..") ? String(text.dropLast()) : text
        let safe = escaped(clean)
        return safe.hasPrefix(".") || safe.hasPrefix("'") ? "\\&" + safe : safe
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            default: result.append(character)
            }
        }
    }
}
