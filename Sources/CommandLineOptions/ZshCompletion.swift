extension CommandLineProgram {
    var zshCompletion: [String] {
        let function = "_\(name)"
        let entries = commands.map { quotedForShell("\(escaped($0.name)):\(escaped($0.summary))") }
        return [
            "#compdef \(name)",
            "# Completion of \(name) in zsh.",
            "\(function)() {",
            "    local -a commands",
            "    commands=(",
        ] + entries.map { "        \($0)" } + [
            "    )",
            "    if (( CURRENT == 2 )); then",
            "        _describe command commands",
            "        compadd -- help --help --version",
            "        return",
            "    fi",
            "    local command=\"${words[2]}\"",
            "    shift words",
            "    (( CURRENT-- ))",
            "    case \"$command\" in",
            "    help) _describe command commands ;;",
        ] + commands.flatMap(zshCase) + [
            "    esac",
            "}",
            "# zsh calls this file as the function if it is in fpath; if it is sourced, it registers the function.",
            "if [[ \"${funcstack[1]}\" == \(function) ]]; then \(function) \"$@\"; "
                + "else compdef \(function) \(name); fi",
        ]
    }

    private func zshCase(_ command: Command) -> [String] {
        var specifications = command.options.flatMap { option in
            let exclusion = option.isRepeating ? "*" : "(\(option.spellings.joined(separator: " ")))"
            return option.spellings.map { spelling in
                // "=" and "+" allow the value in the same word or in the next one.
                let join = option.isFlag ? "" : spelling.hasPrefix("--") ? "=" : "+"
                let value = option.isFlag ? "" : ":\(option.placeholder ?? ""):\(zshAction(ValueCompletion(option)))"
                return "\(exclusion)\(spelling)\(join)[\(escaped(option.help))]\(value)"
            }
        }
        specifications += ["(- *)--help[Show help]", "(- *)-h[Show help]"]
        if !command.arguments.isEmpty {
            let names = command.arguments.map(\.name).joined(separator: " ")
            specifications.append("*:\(names):\(zshAction(command.argumentCompletion))")
        }
        let lines = specifications.map { "            \(quotedForShell($0))" }.joined(separator: " \\\n")
        return ["    \(command.name))", "        _arguments -s \\", lines, "        ;;"]
    }

    private func zshAction(_ completion: ValueCompletion) -> String {
        switch completion {
        case .words(let words): "(\(words.map(escaped).joined(separator: " ")))"
        case .files: "_files"
        case .folders: "_files -/"
        case .nothing: " "
        }
    }

    /// A text with all characters escaped that are special to `_arguments` and `_describe`.
    private func escaped(_ text: String) -> String {
        text.map { "\\[]:".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
