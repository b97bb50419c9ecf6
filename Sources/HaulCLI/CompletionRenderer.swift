/// Makes shell completions from the tables of options and commands.
enum CompletionRenderer {
    /// The output of `haul completions SHELL`.
    static func script(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    private static var bash: String {
        var cases = ""
        for flag in FlagTable.all where flag.variable != nil {
            let names = flag.spellings.joined(separator: "|")
            switch flag.completion {
            case .none: cases += "        \(names)) return ;;\n"
            case .files:
                cases += "        \(names)) mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); return ;;\n"
            case .directories:
                cases += "        \(names)) mapfile -t COMPREPLY < <(compgen -d -- \"$current\"); return ;;\n"
            case .words(let words):
                cases += "        \(names)) mapfile -t COMPREPLY < <(compgen -W '\(words.joined(separator: " "))'"
                cases += " -- \"$current\"); return ;;\n"
            }
        }
        func words(_ flags: [Flag]) -> String { flags.flatMap(\.spellings).joined(separator: " ") }
        var options = ""
        for command in Command.allCases {
            options += "        \(command.rawValue)) options='\(words(FlagTable.all.filter(command.offers)))' ;;\n"
        }
        return """
            # bash completion for haul
            _haul() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
                COMPREPLY=()
                case $previous in
            \(cases)        completions) mapfile -t COMPREPLY < <(compgen -W '\(shells)' -- "$current"); return ;;
                    help) mapfile -t COMPREPLY < <(compgen -W '\(commands)' -- "$current"); return ;;
                esac
                local options='\(words(FlagTable.all))'
                case ${COMP_WORDS[1]} in
            \(options)    esac
                if [[ $current == -* ]]; then
                    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
                elif ((COMP_CWORD == 1)); then
                    mapfile -t COMPREPLY < <(compgen -W '\(commands)' -- "$current")
                elif [[ ${COMP_WORDS[1]} == @(\(fileCommands.joined(separator: "|"))) ]]; then
                    mapfile -t COMPREPLY < <(compgen -f -- "$current")
                fi
            }
            complete -o filenames -F _haul haul

            """
    }

    private static var zsh: String {
        var cases = ""
        for command in Command.allCases {
            let specs = FlagTable.all.filter(command.offers).map(zshSpec).joined()
            cases += "    \(command.rawValue)) _arguments -s -S \\\n"
            cases += specs + "    '1: :' '*:operand:_haul_operands' ;;\n"
        }
        let words = Command.allCases.map { "\($0.rawValue)\\:\"\(zshText($0.summary))\"" }.joined(separator: " ")
        return """
            #compdef haul
            _haul() {
              case ${words[2]} in
            \(cases)    *) _arguments -s -S \\
            \(FlagTable.all.map(zshSpec).joined())    '1: :((\(words)))' '*:URL:_haul_operands' ;;
              esac
            }
            _haul_operands() {
              case ${words[2]} in
                completions) compadd \(shells) ;;
                help) compadd \(commands) ;;
                \(fileCommands.joined(separator: "|"))) _files ;;
                *) _urls ;;
              esac
            }
            if [ "$funcstack[1]" = "_haul" ]; then _haul "$@"; else compdef _haul haul; fi

            """
    }

    /// What `_arguments` takes for an option, on a line of its own.
    private static func zshSpec(_ flag: Flag) -> String {
        let summary = zshText(flag.summary)
        let value = flag.variable.map { ":\(zshText($0)):\(zshAction(flag.completion))" } ?? ""
        let repeatable = ["header", "checksum", "cookie", "resolve", "mirror"].contains(flag.long)
        guard let short = flag.short else {
            let name = (repeatable ? "*" : "") + "--\(flag.long)" + (value.isEmpty ? "" : "=")
            return "    '\(name)[\(summary)]\(value)' \\\n"
        }
        let exclusion = repeatable ? "" : "(-\(short) --\(flag.long))"
        let star = repeatable ? "\\*" : ""
        let names = "{\(star)-\(short),\(star)--\(flag.long)\(value.isEmpty ? "" : "=")}"
        return "    '\(exclusion)'\(names)'[\(summary)]\(value)' \\\n"
    }

    private static var fish: String {
        var lines = ["# fish completion for haul", "complete -c haul -f"]
        for command in Command.allCases {
            lines.append(
                "complete -c haul -n __fish_use_subcommand -a \(command.rawValue) -d '\(fishText(command.summary))'")
        }
        lines.append("complete -c haul -n '__fish_seen_subcommand_from completions' -a '\(shells)'")
        lines.append("complete -c haul -n '__fish_seen_subcommand_from help' -a '\(commands)'")
        lines.append("complete -c haul -n '__fish_seen_subcommand_from \(fileCommands.joined(separator: " "))' -F")
        for flag in FlagTable.all {
            var line = "complete -c haul" + (flag.short.map { " -s \($0)" } ?? "") + " -l \(flag.long)"
            if flag.variable != nil {
                switch flag.completion {
                case .none: line += " -x"
                case .files: line += " -r -F"
                case .directories: line += " -x -a '(__fish_complete_directories)'"
                case .words(let words): line += " -x -a '\(words.joined(separator: " "))'"
                }
            }
            let refusing = Command.allCases.filter { !$0.offers(flag) }.map(\.rawValue).joined(separator: " ")
            if !refusing.isEmpty { line += " -n 'not __fish_seen_subcommand_from \(refusing)'" }
            lines.append(line + " -d '\(fishText(flag.summary))'")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Commands whose operand is a file.
    private static var fileCommands: [String] { Command.allCases.filter { $0.operand == "FILE" }.map(\.rawValue) }

    private static var commands: String { Command.allCases.map(\.rawValue).joined(separator: " ") }

    private static var shells: String { Shell.allCases.map(\.rawValue).joined(separator: " ") }

    private static func zshAction(_ completion: Flag.Completion) -> String {
        switch completion {
        case .none: " "
        case .files: "_files"
        case .directories: "_files -/"
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
    }

    /// Text inside a quoted zsh specification.
    private static func zshText(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "'": result += "'\\''"
            case "[", "]", ":", "\\": result += "\\\(character)"
            default: result.append(character)
            }
        }
    }

    private static func fishText(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if character == "'" || character == "\\" { result += "\\" }
            result.append(character)
        }
    }
}
