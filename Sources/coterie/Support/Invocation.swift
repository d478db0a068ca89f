import CommandLineOptions
import Configuration
import FoundationEssentials
import Glibc

/// What this process was started with: the words of a command, the environment, and the configuration files that these
/// name.
struct Invocation: Sendable {
    let words: CommandWords
    let environment: [String: String]

    /// The command line of this process.
    static func read() throws(UsageError) -> ParseResult<Invocation> {
        switch try Coterie.program.read(Array(CommandLine.arguments.dropFirst())) {
        case .run(let words): .run(Invocation(words: words, environment: ProcessInfo.processInfo.environment))
        case .help(let text): .help(text)
        case .version(let text): .version(text)
        }
    }

    /// The command with the values of its options; the files are read anew each time.
    func parsed() throws -> ParsedCommand {
        let configured =
            words.command.options.contains(ConfigurationOptions.file)
            ? try files().read(Coterie.settings) : ConfiguredValues()
        return try words.completed(environment: environment, configured: configured)
    }

    /// The configuration files.
    ///
    /// - Throws: `UsageError` if an environment is named that cannot have a file.
    func files() throws(UsageError) -> ConfigurationFiles {
        func given(_ option: Option) -> String? { words.given(option.name, environment: environment) }
        let name = given(ConfigurationOptions.environment)
        let usual = unsafe access(ConfigurationOptions.usualPath, F_OK) == 0 ? ConfigurationOptions.usualPath : ""
        let path = given(ConfigurationOptions.file) ?? usual
        if let name {
            guard ConfigurationFiles.isEnvironmentName(name) else {
                throw UsageError("--environment is \"\(name)\": give letters, digits, hyphens and underscores")
            }
            guard !path.isEmpty else {
                throw UsageError("--environment \(name) needs a configuration file: name it with --config")
            }
        }
        return ConfigurationFiles(path: path, environment: name)
    }
}

/// The options that name configuration files; all commands with settings have them.
enum ConfigurationOptions {
    static let usualPath = "/etc/coterie/coterie.yaml"

    static let file = Option(
        "config", "FILE", help: "The configuration file (default: \(usualPath), if it is there)",
        environment: "COTERIE_CONFIG")
    static let environment = Option(
        "environment", "NAME", help: "Also read the file of this environment beside it, coterie.NAME.yaml, which wins",
        environment: "COTERIE_ENVIRONMENT")
}

extension Command {
    /// The same; if it has settings, with the options that name configuration files.
    var configurable: Command {
        guard options.contains(where: { $0.setting != nil }) else { return self }
        return Command(
            name, summary: summary, discussion: discussion, arguments: arguments,
            options: options + [ConfigurationOptions.file, ConfigurationOptions.environment], examples: examples)
    }
}
