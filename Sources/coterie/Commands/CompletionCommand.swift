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
    static let command = Command(
        "manual", summary: "Write the manual of a command, or the names of all pages",
        discussion: """
            Writes a page of the manual, in the macros of man. Without a name it lists the names of all pages; the \
            Debian package installs them.
            """,
        arguments: [Argument("PAGE", help: "The page, such as coterie-import", isOptional: true)],
        examples: ["coterie manual coterie-import | man --local-file -"])

    static func run(_ parsed: ParsedCommand) throws {
        let pages = Coterie.program.manualPages
        var output = try Output()
        guard let name = parsed.arguments.first else {
            for page in pages { try output.line(page.name) }
            return try output.flush()
        }
        guard let page = pages.first(where: { $0.name == name }) else {
            throw UsageError("there is no page \"\(name)\": \"coterie manual\" lists them")
        }
        try output.write(page.text)
        try output.flush()
    }
}
