import CommandLine

/// `coterie completion bash`.
enum CompletionCommand: Subcommand {
    static let command = Command(
        "completion", summary: "Write a completion script for bash",
        arguments: [Argument("SHELL", help: "The shell", allowed: ["bash"])],
        examples: ["coterie completion bash > /etc/bash_completion.d/coterie"])

    static func run(_ parsed: ParsedCommand) throws {
        var output = try Output()
        try output.write(Coterie.program.bashCompletion)
        try output.flush()
    }
}

/// `coterie manual [PAGE]`.
enum ManualCommand: Subcommand {
    static let command = CommandLineProgram.manualCommand

    static func run(_ parsed: ParsedCommand) throws {
        var output = try Output()
        try output.write(Coterie.program.manual(parsed.arguments.first))
        try output.flush()
    }
}
