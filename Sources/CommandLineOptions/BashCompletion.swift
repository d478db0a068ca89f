extension CommandLineProgram {
    var bashCompletion: [String] {
        let names = commands.map(\.name)
        return [
            "# Completion of \(name) in bash.",
            "\(bashFunction)() {",
            "    local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"",
            "    # Bash splits --name=value at the equals sign.",
            "    if [[ $current == = ]]; then",
            "        current=",
            "    elif [[ $previous == = ]]; then",
            "        previous=\"${COMP_WORDS[COMP_CWORD-2]}\"",
            "    fi",
            "    COMPREPLY=()",
            "    if (( COMP_CWORD == 1 )); then",
            "        \(bashReply(.words(names + ["help", "--help", "--version"])))",
            "        return",
            "    fi",
            "    case \"${COMP_WORDS[1]}\" in",
            "    help) \(bashReply(.words(names))) ;;",
        ] + commands.flatMap(bashCase) + ["    esac", "}", "complete -F \(bashFunction) \(name)"]
    }

    private var bashFunction: String { "_" + name.map { $0 == "-" ? "_" : $0 } }

    private func bashCase(_ command: Command) -> [String] {
        let values = command.options.filter { !$0.isFlag }.map { option in
            "        \(option.spellings.joined(separator: " | "))) \(bashReply(ValueCompletion(option))); return ;;"
        }
        let options = command.options.map { "--\($0.name)" } + ["--help"]
        return ["    \(command.name))"]
            + (values.isEmpty ? [] : ["        case \"$previous\" in"] + values + ["        esac"])
            + [
                "        if [[ $current == -* ]]; then",
                "            \(bashReply(.words(options)))",
                "        else",
                "            \(bashReply(command.argumentCompletion))",
                "        fi",
                "        ;;",
            ]
    }

    /// The shell command that offers the values that begin like the word under the cursor.
    private func bashReply(_ completion: ValueCompletion) -> String {
        switch completion {
        case .words(let words):
            "mapfile -t COMPREPLY < <(compgen -W \(quotedForShell(words.joined(separator: " "))) -- \"$current\")"
        case .files: "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$current\")"
        case .folders: "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$current\")"
        case .nothing: ":"
        }
    }
}

/// A text as one word for bash and zsh: in single quotes, within which only a single quote is special.
func quotedForShell(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
