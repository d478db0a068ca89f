import CommandLine
import Basics
import FoundationEssentials
import Glibc
import HTTP
import Model
import Service

extension Failure {
    /// Returns the failure of a command for any error.
    init(_ error: any Error) {
        switch error {
        case let error as Failure: self = error
        case let error as UsageError: self.init(.badUsage, error.description)
        case let error as YAMLError: self.init(.badData, error.description)
        case let error as TokenError: self.init(error.code == .keyFileFailed ? .fileFailed : .badData, error.message)
        default: self.init(.general, SystemWords.sentence(error))
        }
    }
}

/// The command line and the environment of this process, which also name its configuration files.
struct Invocation: Sendable {
    let words: CommandWords
    let environment: [String: String]

    /// Reads the command line and the environment of this process.
    static func read() throws(UsageError) -> ParseResult<Invocation> {
        switch try Coterie.program.read(Array(CommandLine.arguments.dropFirst())) {
        case .run(let words): .run(Invocation(words: words, environment: ProcessInfo.processInfo.environment))
        case .help(let text): .help(text)
        case .version(let text): .version(text)
        }
    }

    /// Returns the command with the values of its options.
    ///
    /// The configuration files are read again with each call.
    func parsed() throws -> ParsedCommand {
        try parsed(
            words.command.options.contains(ConfigurationOptions.file)
                ? try files().read(Coterie.settings) : ConfiguredValues())
    }

    /// Returns the command with the values of its options, some of them from files that were read.
    ///
    /// - Parameter warn: receives a sentence for each setting that is gone.
    func parsed(
        _ configured: ConfiguredValues, warn: (String) -> Void = { printToStandardError("warning: \($0)") }
    ) throws(UsageError) -> ParsedCommand {
        for line in configured.gone { warn(line.warning) }
        let parsed = try words.completed(environment: environment, configured: configured)
        try parsed.refuseOverwriting(ownedBy: parsed.owner)
        return parsed
    }

    /// Returns the named configuration files, or the usual one if it exists and none is named.
    ///
    /// - Throws: `UsageError` if an environment has an invalid name, or there is no configuration file beside which its
    ///   file could be.
    func files() throws(UsageError) -> ConfigurationFiles {
        func given(_ option: Option) -> String? { words.given(option.name, environment: environment) }
        let name = given(ConfigurationOptions.environment)
        let usual = FileTree.exists(ConfigurationOptions.usualPath) ? ConfigurationOptions.usualPath : ""
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
    /// The command, with the options that name configuration files if it has settings.
    var configurable: Command {
        guard options.contains(where: { $0.setting != nil }) else { return self }
        return Command(
            name, changes: changes, summary: summary, discussion: discussion, arguments: arguments,
            options: options + [ConfigurationOptions.file, ConfigurationOptions.environment], examples: examples)
    }
}
