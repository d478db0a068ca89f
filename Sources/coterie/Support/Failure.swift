import CatalogStore
import CommandLine
import Evaluation
import Basics
import FoundationEssentials
import Glibc
import HTTP
import Model
import ModelStore
import Operations
import Recompute
import Service

extension Failure {
    init(_ error: any Error) {
        switch error {
        case let error as Failure: self = error
        case let error as UsageError: self.init(UsageError.exitCode, error.description)
        case let error as CatalogError: self.init(error)
        case let error as StoreError: self.init(error)
        case let error as BackupError: self.init(error)
        case let error as ModelError: self.init(Self.badData, error.description)
        case RecomputeError.catalog(let error): self.init(error)
        case RecomputeError.store(let error): self.init(error)
        case RecomputeError.tooLittleMemory, RecomputeError.abandoned: self.init(Self.tryLater, "\(error)")
        case let error as RecomputeError: self.init(Self.badData, error.description)
        case let error as EvaluationError: self.init(Self.badData, error.description)
        case let error as ConfigurationError: self.init(Self.badData, error.description)
        case let error as YAMLError: self.init(Self.badData, error.description)
        case let error as TapeError: self.init(error)
        case let error as ServiceError: self.init(error)
        case let error as HTTPClientError:
            self.init(error.code == .badAddress ? UsageError.exitCode : Self.tryLater, error.message)
        case let error as TokenError:
            self.init(error.code == .keyFileFailed ? Self.general : Self.badData, error.message)
        default: self.init(Self.general, SystemWords.sentence(error))
        }
    }

    init(_ error: CatalogError) {
        switch error.code {
        case .busy: self.init(Self.tryLater, error.message)
        case .missing, .notACatalog, .badData: self.init(Self.badData, error.message)
        case .fileFailed, .databaseFailed: self.init(Self.general, error.message)
        }
    }

    init(_ error: StoreError) {
        switch error.code {
        case .busy, .unavailable, .replica, .notPermitted: self.init(Self.tryLater, error.message)
        case .badLocation: self.init(UsageError.exitCode, error.message)
        case .unknownVersion, .corrupt, .otherFormat: self.init(Self.badData, error.message)
        default: self.init(Self.general, error.message)
        }
    }

    init(_ error: ServiceError) {
        switch error.code {
        case .catalog(let code): self.init(CatalogError(code, error.message))
        case .store(let code): self.init(StoreError(code, error.message))
        case .publishedMembersFailed: self.init(Self.badData, error.message)
        default: self.init(Self.general, error.message)
        }
    }

    init(_ error: TapeError) {
        switch error.code {
        case .busy: self.init(Self.tryLater, error.message)
        case .missing, .notATape, .badKey: self.init(Self.badData, error.message)
        case .fileFailed: self.init(Self.general, error.message)
        }
    }

    init(_ error: BackupError) {
        switch error.code {
        case .occupied: self.init(Self.tryLater, error.message)
        case .damaged, .otherFormat: self.init(Self.badData, error.message)
        case .fileFailed: self.init(Self.general, error.message)
        case .catalog(let code): self.init(CatalogError(code, error.message))
        case .store(let code): self.init(StoreError(code, error.message))
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
        return try words.completed(environment: environment, configured: configured)
    }

    /// Returns the named configuration files, or the usual one if it exists and none is named.
    ///
    /// - Throws: `UsageError` if an environment has an invalid name, or there is no configuration file beside which its
    ///   file could be.
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
    /// The command, with the options that name configuration files if it has settings.
    var configurable: Command {
        guard options.contains(where: { $0.setting != nil }) else { return self }
        return Command(
            name, summary: summary, discussion: discussion, arguments: arguments,
            options: options + [ConfigurationOptions.file, ConfigurationOptions.environment], examples: examples)
    }
}
