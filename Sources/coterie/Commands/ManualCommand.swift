import CommandLineOptions

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
