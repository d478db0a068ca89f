import Basics
import CommandLine

/// `coterie config`.
enum ConfigCommand: ConfiguredCommand {
    private enum Action: String, CaseIterable {
        case list, show, check
    }

    static let command = Command(
        "config", summary: "List all settings, show their values and origins, check a configuration file",
        discussion: """
            A setting has a key in configuration files, an environment variable and an option. If several of them \
            give a value, the option wins, then the environment variable. Then come the file of the environment \
            (--environment), the file for all environments (--config), and the default.

            list: all settings, with their keys, variables, options, defaults and descriptions.

            show: all settings, with their values and the origins of these. With a command line after --: the settings \
            of that command, with the options of this command line.

            check: whether configuration files can be used: FILE, or else the files that a command would read. The \
            exit code is 65 if not.
            """,
        arguments: [
            Argument("ACTION", help: "What to do", allowed: Action.allCases.map(\.rawValue)),
            Argument(
                "WORD", help: "check: the file; show: a command line, after --", isOptional: true, isRepeating: true),
        ],
        options: [ConfigurationOptions.file, ConfigurationOptions.environment, CommonOptions.json],
        examples: [
            "coterie config show", "coterie config show -- serve --port 9000",
            "coterie config check coterie.yaml", "coterie config show --config coterie.yaml --environment staging",
        ])

    static func run(_ invocation: Invocation) throws {
        let parsed = try invocation.words.completed(environment: invocation.environment)
        let words = Array(parsed.arguments.dropFirst())
        switch parsed.chosen(Action.allCases, by: \.rawValue) {
        case .list where words.isEmpty: try list(parsed)
        case .show: try show(invocation, words, parsed)
        case .check where words.count <= 1: try check(invocation, file: words.first)
        case .list, .check: throw UsageError("coterie config \(parsed.arguments[0]): there are too many arguments")
        }
    }

    private static func list(_ parsed: ParsedCommand) throws {
        let rows = Coterie.settings.options.compactMap(SettingFacts.init)
        try parsed.print(rows) { output in try output.table(rows) }
    }

    private static func show(_ invocation: Invocation, _ words: [String], _ parsed: ParsedCommand) throws {
        let configured = try invocation.files().read(Coterie.settings)
        let command = try shownCommand(words).completed(
            environment: invocation.environment, configured: configured)
        let rows = command.settings.compactMap { SettingValue($0.option, $0.texts, command.origin(of: $0.option.name)) }
        try parsed.print(rows) { output in try output.table(rows) }
    }

    /// Returns the command line whose settings are shown; without words, that of a command with all settings.
    private static func shownCommand(_ words: [String]) throws(UsageError) -> CommandWords {
        guard !words.isEmpty else {
            let options = Coterie.settings.options.compactMap(\.namedByKey)
            return CommandWords(of: Command("config", summary: "", options: options), program: Coterie.program.name)
        }
        guard case .run(let words) = try Coterie.program.read(words) else {
            throw UsageError("give a command line, such as: coterie config show -- serve --port 9000")
        }
        return words
    }

    private static func check(_ invocation: Invocation, file: String?) throws {
        let files = try file.map { ConfigurationFiles(path: $0) } ?? invocation.files()
        let configured = try files.read(Coterie.settings)
        try checkTogether(configured, invocation)
        var output = try Output()
        if files.paths.isEmpty {
            try output.line("there is no configuration file")
        } else {
            let count = "\(configured.values.count) setting\(configured.values.count == 1 ? "" : "s")"
            try output.line("\(files.paths.joined(separator: ", ")): \(count), all good")
        }
        try output.flush()
    }

    /// Checks the values that only the daemon understands, such as the names of areas.
    ///
    /// - Throws: `Failure` if a value is invalid.
    static func checkTogether(_ configured: ConfiguredValues, _ invocation: Invocation) throws {
        let words = CommandWords(of: ServeCommand.command, program: Coterie.program.name)
        do {
            _ = try ServeSettings.live(words.completed(environment: [:], configured: configured), keys: nil)
        } catch { throw Failure(.badData, Failure(error).message) }
    }
}
