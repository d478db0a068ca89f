extension CommandLineProgram {
    /// The usage line, without "usage:".
    var usageLine: String { "\(name) COMMAND [OPTIONS] [ARGUMENTS]" }

    /// The help of the program: what it is, and its commands.
    public var help: String {
        var lines = ["Usage: \(usageLine)", ""]
        lines += TextLayout.paragraphs(summary)
        lines += section("Commands", TextLayout.table(commands.map { ($0.name, $0.summary) }))
        lines += [""]
        lines += TextLayout.paragraphs(
            """
            "\(name) COMMAND --help" or "\(name) help COMMAND" shows the help of a command, "\(name) --version" the \
            version.
            """)
        return lines.joined(separator: "\n") + "\n"
    }

    /// The help of one command: usage, description, arguments and options.
    public func help(for command: Command) -> String {
        var lines = TextLayout.paragraphs("Usage: \(command.usageLine(name))") + [""]
        lines += TextLayout.paragraphs(command.summary)
        if !command.discussion.isEmpty { lines += [""] + TextLayout.paragraphs(command.discussion) }
        lines += section("Arguments", TextLayout.table(command.arguments.map { ($0.name, $0.help) }))
        let options = command.options.map { ($0.helpTerm, $0.helpText) }
        lines += section("Options", TextLayout.table(options + [("-h, --help", "Show this help")]))
        lines += section("Environment", TextLayout.table(command.options.compactMap(\.helpVariable)))
        lines += section("Examples", command.examples.map { "  \($0)" })
        return lines.joined(separator: "\n") + "\n"
    }

    private func section(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : ["", "\(title):"] + lines
    }
}

extension Command {
    /// The usage line: name, required options, `[OPTIONS]`, arguments.
    func usageLine(_ program: String) -> String {
        let required = options.filter(\.isRequired).map { "--\($0.name) \($0.placeholder ?? "")" }
        let arguments = arguments.map { argument in
            let name = argument.isRepeating ? "\(argument.name)..." : argument.name
            return argument.isOptional ? "[\(name)]" : name
        }
        let hasOthers = options.contains { !$0.isRequired }
        return ([program, name] + required + (hasOthers ? ["[OPTIONS]"] : []) + arguments).joined(separator: " ")
    }
}

extension Option {
    /// The environment variable, and what it is for; nil if there is none.
    var helpVariable: (term: String, text: String)? {
        environmentVariable.map { variable in
            let key = setting.map { "; in configuration files \($0.key)" } ?? ""
            return (variable, "Used when --\(name) is not given\(key)")
        }
    }

    /// `-n, --limit N`; without a short name, blanks keep the long names aligned.
    var helpTerm: String {
        (short.map { "-\($0), " } ?? "    ") + "--\(name)" + (placeholder.map { " \($0)" } ?? "")
    }

    /// The help, followed by the allowed values, the default, and whether it is required or may be repeated.
    var helpText: String {
        var notes: [String] = []
        if isRequired { notes.append("required") }
        if !allowedValues.isEmpty { notes.append("one of: \(allowedValues.joined(separator: ", "))") }
        if let defaultValue { notes.append("default: \(defaultValue)") }
        if isRepeating { notes.append("may be given more than once") }
        return notes.isEmpty ? help : "\(help) (\(notes.joined(separator: "; ")))"
    }
}
