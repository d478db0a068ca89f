import CommandLine

/// `coterie completion SHELL`.
enum CompletionCommand: Subcommand {
    static let command = Command(
        "completion", summary: "Write a completion script for a shell",
        arguments: [Argument("SHELL", help: Shell.allCases.map(\.rawValue).joined(separator: ", "))],
        examples: ["coterie completion bash > /etc/bash_completion.d/coterie"])

    static func run(_ parsed: ParsedCommand) throws {
        guard let shell = Shell(rawValue: parsed.arguments[0]) else {
            throw UsageError(
                "there is no completion for \"\(parsed.arguments[0])\"; SHELL is one of "
                    + Shell.allCases.map(\.rawValue).joined(separator: ", "))
        }
        var output = try Output()
        try output.write(Coterie.program.completion(shell))
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
