import CommandLineOptions
import FoundationEssentials
import Glibc
import Model

@main
enum Coterie {
    /// The relations of all commands.
    static let relations = RelationTable.standard

    static var subcommands: [any Subcommand.Type] {
        [
            ImportCommand.self, GenerateCommand.self, RecomputeCommand.self, SimilarCommand.self, WhyCommand.self,
            RecommendCommand.self, ExplainCommand.self, PhotoCommand.self, TrendingCommand.self, HideCommand.self,
            CurateCommand.self, ModelsCommand.self, RollbackCommand.self, ExportCommand.self, EvaluateCommand.self,
            TuneCommand.self, ServeCommand.self, TokenCommand.self, DeleteCommand.self, ForgetCommand.self,
            StatsCommand.self, CompletionCommand.self,
        ]
    }

    static var program: CommandLineProgram {
        CommandLineProgram(
            name: "coterie", summary: "Finds groups that members of a photo community would love to join",
            version: "0.1.0", commands: subcommands.map { $0.command })
    }

    static func main() {
        // If the reader of a pipe goes away, the write fails instead.
        _ = signal(SIGPIPE, SIG_IGN)
        do {
            switch try program.parse(
                Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
            {
            case .help(let text), .version(let text):
                print(text)
            case .run(let parsed):
                let subcommand = subcommands.first { $0.command.name == parsed.name }
                try subcommand?.run(parsed)
            }
        } catch {
            let failure = Failure(error)
            complain("coterie: \(failure.message)")
            exit(failure.exitCode)
        }
    }
}

/// A command of the program: its declaration and its action.
protocol Subcommand {
    static var command: Command { get }
    static func run(_ parsed: ParsedCommand) throws
}
