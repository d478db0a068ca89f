/// A command line that was read; what it does not give comes from elsewhere.
public struct CommandWords: Sendable {
    /// The command that was chosen.
    public let command: Command
    let arguments: [String]
    /// The values that were given, by the long names of options; a flag has the value "".
    let values: [String: [String]]
    let errors: CommandErrors

    /// A command line that gives nothing.
    public init(of command: Command, program: String) {
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

    /// The value of an option on the command line, else in the environment; nil if it is in neither.
    ///
    /// For what must be known before there are configuration files.
    public func given(_ name: String, environment: [String: String]) -> String? {
        if let value = values[name]?.last { return value }
        return command.option(named: name)?.environmentVariable.flatMap { environment[$0] }.flatMap {
            $0.isEmpty ? nil : $0
        }
    }

    /// The command with the values of all of its options: from the command line, else from the environment, else from
    /// configuration files, else their defaults.
    ///
    /// - Parameters:
    ///   - environment: all environment variables; only those that an option names are used.
    ///   - configured: what the files say; only what the command has an option for is used.
    /// - Throws: `UsageError` if a value is wrong, or one that is required is missing.
    public func completed(
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

    /// The values of an option in the environment, none for a flag that is off; nil if the variable is not set.
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
