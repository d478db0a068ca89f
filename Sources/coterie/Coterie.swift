import Basics
import CommandLine
import FoundationEssentials
import Glibc
import Model
import Service

@main
enum Coterie {
    /// The table of relations that all commands use.
    static let relations = RelationTable.standard

    static var subcommands: [any ConfiguredCommand.Type] {
        [
            ImportCommand.self, ApplyCommand.self, RecomputeCommand.self, SimilarCommand.self,
            WhyCommand.self, RecommendCommand.self, ExplainCommand.self, PhotoCommand.self,
            SimilarPhotosCommand.self, PhotosCommand.self, ContactsCommand.self, TrendingCommand.self, HideCommand.self,
            CurateCommand.self, ModelsCommand.self, RollbackCommand.self, ExportCommand.self, EvaluateCommand.self,
            TuneCommand.self, ExperimentCommand.self, ServeCommand.self, ReplayCommand.self, KernelCommand.self,
            CleanCommand.self, TokenCommand.self, DeleteCommand.self, RenameCommand.self, ForgetCommand.self,
            StatsCommand.self, StatusCommand.self, CheckCommand.self, ConfigCommand.self, BackupCommand.self,
            RestoreCommand.self, CompletionCommand.self, ManualCommand.self,
        ]
    }

    static var program: CommandLineProgram {
        CommandLineProgram(
            name: "coterie", summary: "Finds groups that members of a photo community would love to join",
            version: ProgramVersion.current.description, commands: subcommands.map { $0.command.configurable },
            variablePrefix: "COTERIE")
    }

    static var settings: SettingsTable { SettingsTable(program, gone: goneSettings) }

    /// The keys of settings that only earlier releases had; a setting that is removed comes here.
    private static let goneSettings: Set = ["recompute.ridgeShare", "recompute.ridgePenalty"]

    static func main() {
        // A write to a closed pipe then fails with an error, and does not end the process.
        _ = signal(SIGPIPE, SIG_IGN)
        endOnSignalsAsFirstProcess()
        do {
            switch try Invocation.read() {
            case .help(let text), .version(let text): try Output.say(text)
            case .run(let invocation):
                for warning in program.warnings(ofVariables: invocation.environment) {
                    printToStandardError("coterie: \(warning)")
                }
                let subcommand = subcommands.first { $0.command.name == invocation.words.command.name }
                do { try subcommand?.run(invocation) } catch let failure as Failure
                    where failure.code == .outputFailed && invocation.words.command.changes
                {
                    throw Failure(failure.code, "\(failure.message); the work itself is done")
                }
            }
            EventLog.finish()
        } catch {
            let failure = Failure(error)
            EventLog.finish()
            printToStandardError("coterie: \(failure.message)")
            exit(failure.exitCode)
        }
    }

    /// Makes signals end the process if it is the first one of a container.
    ///
    /// Linux gives the first process no default action, so that a signal without a handler would be lost. A daemon
    /// blocks the signals that it takes itself, and is not affected.
    private static func endOnSignalsAsFirstProcess() {
        guard getpid() == 1 else { return }
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] {
            // The exit code that a shell reports for a signal. `_exit` may be called in a handler.
            _ = signal(number) { number in _exit(128 + number) }
        }
    }
}

/// A command of the program that reads its configuration itself.
protocol ConfiguredCommand {
    static var command: Command { get }
    static func run(_ invocation: Invocation) throws
}

/// A command of the program: its declaration and its action.
protocol Subcommand: ConfiguredCommand {
    static func run(_ parsed: ParsedCommand) throws
}

extension Subcommand {
    static func run(_ invocation: Invocation) throws {
        try run(try invocation.parsed())
    }
}
