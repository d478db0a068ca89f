/// A program with commands: the table behind the parser, the help and the completion scripts.
public struct CommandLineProgram: Sendable {
    /// Its name on the command line.
    public let name: String
    /// What it does, in one line.
    public let summary: String
    /// Its version, as `--version` shows it.
    public let version: String
    /// Its commands, in the order of the help.
    public let commands: [Command]

    /// Checks the table, and ends the process at a mistake of the programmer's.
    ///
    /// Mistakes are: two commands or two options with the same name, `help` or `h` as a name, a required argument after
    /// an optional one, a repeating argument that is not the last, a default that is not allowed.
    ///
    /// - Parameter variablePrefix: how the environment variables of those settings begin that name none; nil for no
    ///   such variables.
    public init(name: String, summary: String, version: String, commands: [Command], variablePrefix: String? = nil) {
        self.name = name
        self.summary = summary
        self.version = version
        self.commands = variablePrefix.map { prefix in commands.map { $0.namingVariables(prefix) } } ?? commands
        for command in commands { command.checkTable() }
        precondition(Set(commands.map(\.name)).count == commands.count, "two commands have the same name")
        precondition(!commands.contains { $0.name == "help" }, "the command help is built in")
    }

    /// The command with this name.
    func command(named name: String) -> Command? { commands.first { $0.name == name } }
}

/// What a command line asks for.
public enum ParseResult<Run: Sendable>: Sendable {
    /// Run this command.
    case run(Run)
    /// Write this help to standard output and end with 0.
    case help(String)
    /// Write this line to standard output and end with 0.
    case version(String)
}

extension Command {
    /// The same, with an environment variable for each setting.
    fileprivate func namingVariables(_ prefix: String) -> Command {
        Command(
            name, summary: summary, discussion: discussion, arguments: arguments,
            options: options.map { $0.namingVariable(prefix) }, examples: examples)
    }

    func checkTable() {
        let names = options.map(\.name) + options.compactMap { $0.short.map(String.init) } + ["help", "h"]
        precondition(Set(names).count == names.count, "two options of \(name) have the same name")
        precondition(!arguments.dropLast().contains(where: \.isRepeating), "only the last argument may repeat")
        let firstOptional = arguments.firstIndex(where: \.isOptional) ?? arguments.endIndex
        precondition(
            arguments[firstOptional...].allSatisfy(\.isOptional), "an argument after an optional one is required")
        for option in options {
            guard let value = option.defaultValue else { continue }
            let isAllowed = option.allowedValues.isEmpty || option.allowedValues.contains(value)
            precondition(
                isAllowed && option.type.fault(in: value) == nil, "the default of --\(option.name) is not allowed")
        }
    }
}
