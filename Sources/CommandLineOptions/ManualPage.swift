extension CommandLineProgram {
    /// The pages of the manual, of the program and of each command, by their names: `coterie`, `coterie-import`.
    ///
    /// They say what the help says, in the macros of `man`.
    public var manualPages: [(name: String, text: String)] {
        [(name, overviewPage)] + commands.map { ("\(name)-\($0.name)", page(of: $0)) }
    }

    private var overviewPage: String {
        var page = ManualPage("\(name)", of: self)
        page.section("NAME", paragraphs: ["\(name) \\- \(ManualPage.escaped(summary))"])
        page.section("SYNOPSIS", paragraphs: [ManualPage.escaped(usageLine)])
        page.section("COMMANDS", terms: commands.map { ("\(name)-\($0.name)(1)", $0.summary) })
        return page.text
    }

    private func page(of command: Command) -> String {
        var page = ManualPage("\(name)-\(command.name)", of: self)
        page.section(
            "NAME",
            paragraphs: ["\(ManualPage.escaped("\(name)-\(command.name)")) \\- \(ManualPage.escaped(command.summary))"])
        page.section("SYNOPSIS", paragraphs: [ManualPage.escaped(command.usageLine(name))])
        let paragraphs = command.discussion.split(separator: "\n\n").map { ManualPage.escaped(String($0)) }
        page.section("DESCRIPTION", paragraphs: paragraphs)
        page.section("ARGUMENTS", terms: command.arguments.map { ($0.name, $0.help) })
        let options = command.options.map { ($0.helpTerm, $0.helpText) } + [("-h, --help", "Show this help")]
        page.section("OPTIONS", terms: options)
        page.section("ENVIRONMENT", terms: command.options.compactMap(\.helpVariable))
        page.section("EXAMPLES", lines: command.examples)
        page.section("SEE ALSO", paragraphs: [ManualPage.escaped("\(name)(1)")])
        return page.text
    }
}

/// A page of the manual in the macros of `man`.
struct ManualPage {
    private(set) var text: String

    init(_ name: String, of program: CommandLineProgram) {
        let title = Self.escaped(name.uppercased())
        text = ".TH \(title) 1 \"\" \"\(program.name) \(program.version)\" \"\(program.name)\"\n"
    }

    /// Adds a section of paragraphs, which are escaped; none if there are none.
    mutating func section(_ title: String, paragraphs: [String]) {
        guard !paragraphs.isEmpty else { return }
        text += ".SH \(title)\n" + paragraphs.joined(separator: "\n.PP\n") + "\n"
    }

    /// Adds a section of terms, each with its text.
    mutating func section(_ title: String, terms: [(term: String, text: String)]) {
        guard !terms.isEmpty else { return }
        text += ".SH \(title)\n"
        for (term, content) in terms {
            let term = Self.escaped(String(term.drop { $0 == " " }))
            text += ".TP\n.B \(term)\n\(Self.escaped(content))\n"
        }
    }

    /// Adds a section of lines that stay as they are.
    mutating func section(_ title: String, lines: [String]) {
        guard !lines.isEmpty else { return }
        text += ".SH \(title)\n.nf\n" + lines.map(Self.escaped).joined(separator: "\n") + "\n.fi\n"
    }

    /// A text without characters that mean something else: backslashes, hyphens that shall be those of options, and
    /// dots and apostrophes at the beginning of a line.
    static func escaped(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let line = line.replacing("\\", with: "\\e").replacing("-", with: "\\-")
            return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
        }
        return lines.joined(separator: "\n")
    }
}
