/// The completions that a shell offers for a value.
enum ValueCompletion {
    case words([String])
    case files
    case folders
    case nothing

    init(_ option: Option) {
        self = option.allowedValues.isEmpty ? Self(placeholder: option.placeholder) : .words(option.allowedValues)
    }

    init(placeholder: String?) {
        switch placeholder {
        case "FILE": self = .files
        case "FOLDER": self = .folders
        default: self = .nothing
        }
    }
}

extension Command {
    /// The completion of the command's arguments.
    ///
    /// All arguments share one completion.
    var argumentCompletion: ValueCompletion {
        let names = Set(arguments.map(\.name))
        if names.contains("FILE") { return .files }
        return names.contains("FOLDER") ? .folders : .nothing
    }
}

extension Option {
    /// All spellings of the option: `--limit`, `-n`.
    var spellings: [String] { ["--\(name)"] + (short.map { ["-\($0)"] } ?? []) }
}

/// A command line that was read; values that it lacks come from other sources.
package struct CommandWords: Sendable {
    package let command: Command
    let arguments: [String]
    /// The given values, by the long names of options; a flag has the value "".
    let values: [String: [String]]
    let errors: CommandErrors

    package init(of command: Command, program: String) {
        self.command = command
        arguments = []
        values = [:]
        errors = CommandErrors(program: program, command: command)
    }

    init(command: Command, arguments: [String], values: [String: [String]], errors: CommandErrors) {
        self.command = command
        self.arguments = arguments
        self.values = values
        self.errors = errors
    }

    /// Returns the value of an option on the command line or else in the environment; nil if it is in neither.
    ///
    /// This function is for options that must be known before configuration files are read.
    package func given(_ name: String, environment: [String: String]) -> String? {
        if let value = values[name]?.last { return value }
        return command.option(named: name)?.environmentVariable.flatMap { environment[$0] }.flatMap {
            $0.isEmpty ? nil : $0
        }
    }

    /// Determines the values of all options of the command.
    ///
    /// A value comes from the first of these that has one: command line, environment, configuration files, default.
    ///
    /// - Parameters:
    ///   - environment: all environment variables; only those that an option names are used.
    ///   - configured: the values in the files; only those of the command's options are used.
    /// - Throws: `UsageError` if a value is wrong, or a required one is missing.
    package func completed(
        environment: [String: String], configured: ConfiguredValues = ConfiguredValues()
    ) throws(UsageError) -> ParsedCommand {
        var (all, origins): ([String: [String]], [String: ValueOrigin]) = (values, [:])
        for option in command.options {
            if all[option.name] != nil {
                origins[option.name] = .commandLine
            } else if let texts = try environmentValues(of: option, environment) {
                all[option.name] = texts
                origins[option.name] = .environment
            } else if let value = option.setting.flatMap({ configured.values[$0.key] }) {
                all[option.name] = try configuredValues(of: option, value)
                origins[option.name] = .file(place: value.place)
            } else if let value = option.defaultValue {
                all[option.name] = [value]
            } else if option.isRequired {
                throw errors.missingOption(option)
            }
        }
        return ParsedCommand(command: command, arguments: arguments, values: all, origins: origins, errors: errors)
    }

    /// Returns the values of an option in the environment, or nil if its variable is not set.
    ///
    /// The array is empty for a flag that is off.
    private func environmentValues(
        of option: Option, _ environment: [String: String]
    ) throws(UsageError) -> [String]? {
        guard let variable = option.environmentVariable, let value = environment[variable], !value.isEmpty else {
            return nil
        }
        guard option.isFlag else {
            try errors.check(value, of: option, from: .environment)
            return [value]
        }
        switch value.lowercased() {
        case "1", "true", "yes", "on": return [""]
        case "0", "false", "no", "off": return []
        default: throw errors.badValue(value, of: option, from: .environment, expected: "1 or 0")
        }
    }

    private func configuredValues(
        of option: Option, _ value: ConfiguredValues.Value
    ) throws(UsageError) -> [String] {
        let origin = ValueOrigin.file(place: value.place)
        guard option.isFlag else {
            for text in value.texts { try errors.check(text, of: option, from: origin) }
            return value.texts
        }
        switch value.texts {
        case ["true"]: return [""]
        case ["false"]: return []
        default: throw errors.badValue(value.texts.first ?? "", of: option, from: origin, expected: "true or false")
        }
    }
}

extension CommandLineProgram {
    /// A script that completes this program's commands, options and values in GNU Bash 4.4 or later.
    package var bashCompletion: String {
        let names = commands.map(\.name)
        let start = [
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
        ]
        let end = ["    esac", "}", "complete -F \(bashFunction) \(name)"]
        return (start + commands.flatMap(bashCase) + end).joined(separator: "\n") + "\n"
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

    /// Returns the shell command that offers the values with the prefix under the cursor.
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

/// Returns a text as one word for bash, in single quotes; only a single quote is special within them.
private func quotedForShell(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
