import CommandLineOptions

/// A command of the program: what it understands, and what it does.
protocol Subcommand {
    static var command: Command { get }
    static func run(_ parsed: ParsedCommand) throws
}
