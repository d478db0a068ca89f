extension CommandLineProgram {
    /// The usage line, without "usage:".
    var usageLine: String { "\(name) COMMAND [OPTIONS] [ARGUMENTS]" }

    /// The help of the program: its purpose and its commands.
    package var help: String {
        var lines = ["Usage: \(usageLine)", ""]
        lines += TextLayout.paragraphs(summary)
        lines += section("Commands", TextLayout.table(commands.map { ($0.name, $0.summary) }))
        lines += [""]
        lines += TextLayout.paragraphs(
            """
            "\(name) COMMAND --help" or "\(name) help COMMAND" shows the help of a command, "\(name) --version" the \
            version.
            """)
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the help of one command: usage, description, arguments and options.
    package func help(for command: Command) -> String {
        var lines = TextLayout.paragraphs("Usage: \(command.usageLine(name))") + [""]
        lines += TextLayout.paragraphs(command.summary)
        if !command.discussion.isEmpty { lines += [""] + TextLayout.paragraphs(command.discussion) }
        lines += section("Arguments", TextLayout.table(command.arguments.map { ($0.name, $0.helpText) }))
        let options = command.options.map { ($0.helpTerm, $0.helpText) }
        lines += section("Options", TextLayout.table(options + [("-h, --help", "Show this help")]))
        lines += section("Environment", TextLayout.table(command.options.compactMap(\.helpVariable)))
        lines += section("Examples", command.examples.map { "  \($0)" })
        return lines.joined(separator: "\n") + "\n"
    }

    private func section(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : ["", "\(title):"] + lines
    }
}

extension Command {
    /// Returns the usage line: name, required options, `[OPTIONS]`, arguments.
    func usageLine(_ program: String) -> String {
        let required = options.filter(\.isRequired).map { "--\($0.name) \($0.placeholder ?? "")" }
        let arguments = arguments.map { argument in
            let name = argument.isRepeating ? "\(argument.name)..." : argument.name
            return argument.isOptional ? "[\(name)]" : name
        }
        let hasOthers = options.contains { !$0.isRequired }
        return ([program, name] + required + (hasOthers ? ["[OPTIONS]"] : []) + arguments).joined(separator: " ")
    }
}

extension Argument {
    /// The description, with the allowed words.
    var helpText: String {
        allowedValues.isEmpty ? help : "\(help): \(allowedValues.joined(separator: ", "))"
    }
}

extension Option {
    /// The environment variable and its use, or nil if there is none.
    var helpVariable: (term: String, text: String)? {
        environmentVariable.map { variable in
            let key = setting.map { "; in configuration files \($0.key)" } ?? ""
            return (variable, "Used when --\(name) is not given\(key)")
        }
    }

    /// The names and the value, `-n, --limit N`; blanks replace a missing short name and keep long names aligned.
    var helpTerm: String {
        (short.map { "-\($0), " } ?? "    ") + "--\(name)" + (placeholder.map { " \($0)" } ?? "")
    }

    /// The description, followed by notes: required, allowed values, default, may be repeated.
    var helpText: String {
        var notes: [String] = []
        if isRequired { notes.append("required") }
        if !allowedValues.isEmpty { notes.append("one of: \(allowedValues.joined(separator: ", "))") }
        if let defaultValue { notes.append("default: \(defaultValue)") }
        if isRepeating { notes.append("may be given more than once") }
        return notes.isEmpty ? help : "\(help) (\(notes.joined(separator: "; ")))"
    }
}

extension CommandLineProgram {
    /// The manual pages of the program and of each command, by their names: `coterie`, `coterie-import`.
    ///
    /// The pages have the content of the help, in the macros of `man`.
    package var manualPages: [(name: String, text: String)] {
        [(name, overviewPage)] + commands.map { ("\(name)-\($0.name)", page(of: $0)) }
    }

    /// The command that writes the pages of the manual.
    package static let manualCommand = Command(
        "manual", summary: "Write the manual of a command, or the names of all pages",
        discussion: """
            Writes a page of the manual, in the macros of man. Without a name it lists the names of all pages; the \
            Debian package installs them.
            """,
        arguments: [Argument("PAGE", help: "The page, such as coterie-import", isOptional: true)],
        examples: ["coterie manual coterie-import | man --local-file -"])

    /// Returns the page of the manual with a name, or for nil the names of all pages, one a line.
    ///
    /// - Throws: `UsageError` if there is no such page.
    package func manual(_ page: String?) throws(UsageError) -> String {
        guard let page else { return manualPages.map { $0.name + "\n" }.joined() }
        guard let text = manualPages.first(where: { $0.name == page })?.text else {
            throw UsageError("there is no page \"\(page)\": \"\(name) manual\" lists them")
        }
        return text
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
        page.section("ARGUMENTS", terms: command.arguments.map { ($0.name, $0.helpText) })
        let options = command.options.map { ($0.helpTerm, $0.helpText) } + [("-h, --help", "Show this help")]
        page.section("OPTIONS", terms: options)
        page.section("ENVIRONMENT", terms: command.options.compactMap(\.helpVariable))
        page.section("EXAMPLES", lines: command.examples)
        page.section("SEE ALSO", paragraphs: [ManualPage.escaped("\(name)(1)")])
        return page.text
    }
}

/// A manual page in the macros of `man`.
struct ManualPage {
    private(set) var text: String

    init(_ name: String, of program: CommandLineProgram) {
        let title = Self.escaped(name.uppercased())
        text = ".TH \(title) 1 \"\" \"\(program.name) \(program.version)\" \"\(program.name)\"\n"
    }

    /// Adds a section of paragraphs, which must already be escaped; does nothing if there are none.
    mutating func section(_ title: String, paragraphs: [String]) {
        guard !paragraphs.isEmpty else { return }
        text += ".SH \(title)\n" + paragraphs.joined(separator: "\n.PP\n") + "\n"
    }

    /// Adds a section of terms, each with its text; does nothing if there are none.
    mutating func section(_ title: String, terms: [(term: String, text: String)]) {
        guard !terms.isEmpty else { return }
        text += ".SH \(title)\n"
        for (term, content) in terms {
            let term = Self.escaped(String(term.drop { $0 == " " }))
            text += ".TP\n.B \(term)\n\(Self.escaped(content))\n"
        }
    }

    /// Adds a section of lines that are not filled; does nothing if there are none.
    mutating func section(_ title: String, lines: [String]) {
        guard !lines.isEmpty else { return }
        text += ".SH \(title)\n.nf\n" + lines.map(Self.escaped).joined(separator: "\n") + "\n.fi\n"
    }

    /// Escapes the characters of a text that have a special meaning.
    ///
    /// Backslashes, hyphens, and dots and apostrophes at the start of a line are escaped. Unescaped hyphens of options
    /// could be printed as dashes.
    static func escaped(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let line = line.replacing("\\", with: "\\e").replacing("-", with: "\\-")
            return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
        }
        return lines.joined(separator: "\n")
    }
}

/// Layout of help in lines of at most `width` characters; a longer word gets its own line.
enum TextLayout {
    static let width = 80
    /// The greatest start of the second column of a table; the text of a longer term begins on the next line.
    private static let widestColumn = 30

    /// Breaks paragraphs, separated by empty lines, into lines of at most `width` characters.
    ///
    /// A line that begins with a blank is kept unchanged.
    static func paragraphs(_ text: String, width: Int = width) -> [String] {
        var result: [String] = []
        var words: [Substring] = []
        func flush() {
            result += lines(words, width: width)
            words = []
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty || line.hasPrefix(" ") {
                flush()
                result.append(String(line))
            } else {
                words += line.split(separator: " ")
            }
        }
        flush()
        return result
    }

    /// Returns a table with two columns, indented by two blanks: a term and its text, broken into lines.
    static func table(_ rows: [(term: String, text: String)]) -> [String] {
        let widest = rows.map(\.term.count).filter { $0 + 4 <= widestColumn }.max() ?? widestColumn - 4
        let indent = String(repeating: " ", count: widest + 4)
        return rows.flatMap { term, text -> [String] in
            let lines = paragraphs(text, width: width - indent.count)
            guard let first = lines.first else { return ["  " + term] }
            let rest = lines.dropFirst().map { indent + $0 }
            guard term.count <= widest else { return ["  " + term, indent + first] + rest }
            return ["  " + term + indent.dropFirst(term.count + 2) + first] + rest
        }
    }

    private static func lines(_ words: [Substring], width: Int) -> [String] {
        var result: [String] = []
        for word in words {
            if let last = result.last, last.count + 1 + word.count <= width {
                result[result.count - 1] = "\(last) \(word)"
            } else {
                result.append(String(word))
            }
        }
        return result
    }
}
