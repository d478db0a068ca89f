extension CommandLineProgram {
    var fishCompletion: [String] {
        let top = "complete -c \(name) -n __fish_use_subcommand"
        let names = commands.map(\.name).joined(separator: " ")
        return ["# Completion of \(name) in fish.", "complete -c \(name) -f"]
            + commands.map { "\(top) -a \($0.name) -d \(quotedForFish($0.summary))" }
            + [
                "\(top) -a help -d 'Show the help of a command'",
                "\(top) -l version -d 'Show the version'",
                "complete -c \(name) -s h -l help -d 'Show help'",
                "complete -c \(name) -n '__fish_seen_subcommand_from help' -a \(quotedForFish(names))",
            ] + commands.flatMap(fishLines)
    }

    private func fishLines(_ command: Command) -> [String] {
        let start = "complete -c \(name) -n '__fish_seen_subcommand_from \(command.name)'"
        let options = command.options.map { option in
            let short = option.short.map { " -s \($0)" } ?? ""
            let value = option.isFlag ? "" : " -r\(fishAction(ValueCompletion(option)))"
            return "\(start)\(short) -l \(option.name)\(value) -d \(quotedForFish(option.help))"
        }
        let argument = fishAction(command.argumentCompletion)
        return options + (argument == " -f" ? [] : ["\(start)\(argument)"])
    }

    private func fishAction(_ completion: ValueCompletion) -> String {
        switch completion {
        case .words(let words): " -f -a \(quotedForFish(words.joined(separator: " ")))"
        case .files: " -F"
        case .folders: " -f -a '(__fish_complete_directories)'"
        case .nothing: " -f"
        }
    }

    /// A text as one word for fish, where a backslash is special within single quotes.
    private func quotedForFish(_ text: String) -> String {
        "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
    }
}
