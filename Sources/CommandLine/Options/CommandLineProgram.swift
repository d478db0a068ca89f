import RecordReading

/// A program with commands: the table from which the parser, the help and the completion scripts are derived.
package struct CommandLineProgram: Sendable {
    /// The program's name on the command line.
    package let name: String
    /// The purpose of the program, in one line.
    package let summary: String
    /// The version that `--version` shows.
    package let version: String
    /// The commands, in the order of the help.
    package let commands: [Command]
    /// The prefix of the program's environment variables, with an underscore, or nil for no such variables.
    private let variableStart: String?

    /// Creates a program and checks its table; a programmer's mistake ends the process.
    ///
    /// Two commands or two options must not have the same name, and `help` and `h` are reserved. A required argument
    /// must not follow an optional one. Only the last argument may repeat. A default must be an allowed value.
    ///
    /// - Parameters:
    ///   - summary: the purpose of the program, in one line.
    ///   - commands: the commands, in the order of the help.
    ///   - variablePrefix: the prefix of environment variables for settings that name none, or nil for no such
    ///     variables.
    package init(name: String, summary: String, version: String, commands: [Command], variablePrefix: String? = nil) {
        self.name = name
        self.summary = summary
        self.version = version
        variableStart = variablePrefix.map { $0 + "_" }
        self.commands = variablePrefix.map { prefix in commands.map { $0.namingVariables(prefix) } } ?? commands
        for command in commands { command.checkTable() }
        precondition(Set(commands.map(\.name)).count == commands.count, "two commands have the same name")
        precondition(!commands.contains { $0.name == "help" }, "the command help is built in")
    }

    /// Returns the command with a name, or nil if there is none.
    func command(named name: String) -> Command? { commands.first { $0.name == name } }
}

/// The action that a command line requests.
package enum ParseResult<Run: Sendable>: Sendable {
    case run(Run)
    /// Write this help to standard output and exit with 0.
    case help(String)
    /// Write this line to standard output and exit with 0.
    case version(String)
}

extension Command {
    /// Returns the command with an environment variable for each setting.
    fileprivate func namingVariables(_ prefix: String) -> Command {
        Command(
            name, changes: changes, summary: summary, discussion: discussion, arguments: arguments,
            options: options.map { $0.namingVariable(prefix) }, examples: examples)
    }

    func checkTable() {
        let names = options.map(\.name) + options.compactMap { $0.short.map(String.init) } + ["help", "h"]
        precondition(Set(names).count == names.count, "two options of \(name) have the same name")
        precondition(!arguments.dropLast().contains(where: \.isRepeating), "only the last argument may repeat")
        let firstOptional = arguments.firstIndex(where: \.isOptional) ?? arguments.endIndex
        precondition(
            arguments[firstOptional...].allSatisfy(\.isOptional), "an argument after an optional one is required")
        for option in options {
            guard let value = option.defaultValue else { continue }
            let isAllowed = option.allowedValues.isEmpty || option.allowedValues.contains(value)
            precondition(
                isAllowed && option.type.fault(in: value) == nil, "the default of --\(option.name) is not allowed")
        }
    }
}

extension CommandLineProgram {
    /// Reads a command line and determines the values of all options of its command.
    ///
    /// - Parameters:
    ///   - words: the words after the program's name.
    ///   - environment: all environment variables; only those that an option of the command names are used.
    /// - Throws: `UsageError` if a word is not understood, or a value is wrong or missing.
    package func parse(
        _ words: [String], environment: [String: String]
    ) throws(UsageError) -> ParseResult<ParsedCommand> {
        switch try read(words) {
        case .run(let words): .run(try words.completed(environment: environment))
        case .help(let text): .help(text)
        case .version(let text): .version(text)
        }
    }

    /// Reads a command line.
    ///
    /// - Parameter words: the words after the program's name.
    /// - Throws: `UsageError` if a word is not understood, or an argument is missing.
    package func read(_ words: [String]) throws(UsageError) -> ParseResult<CommandWords> {
        guard let first = words.first else {
            throw UsageError("which command?", advice: ["usage: \(usageLine)", helpAdvice])
        }
        switch first {
        case "--help", "-h": return .help(help)
        case "--version": return .version("\(name) \(version)")
        case "help": return try .help(helpPage(for: words.dropFirst()))
        default: break
        }
        guard let command = command(named: first) else { throw unknownCommand(first) }
        var parser = CommandParser(program: name, command: command)
        guard try parser.read(words.dropFirst()) else { return .help(help(for: command)) }
        return .run(try parser.finish())
    }

    private func helpPage(for words: ArraySlice<String>) throws(UsageError) -> String {
        guard let name = words.first, name != "--help", name != "-h" else { return help }
        guard let command = command(named: name) else { throw unknownCommand(name) }
        return help(for: command)
    }

    private func unknownCommand(_ word: String) -> UsageError {
        if word.hasPrefix("-") {
            return UsageError(
                "\(word) is before the command; put options after it", advice: ["usage: \(usageLine)"])
        }
        let near = nearest(to: word, among: commands.map(\.name))
        return UsageError("\(name) has no command \"\(word)\"", advice: didYouMean(near) + [helpAdvice])
    }

    private var helpAdvice: String { "\(name) --help lists the commands" }
}

extension CommandLineProgram {
    /// Variables with the program's prefix that tools of its packages and tests read.
    private static let toolVariables: Set<String> = ["BUILD", "FUZZER", "IMAGE", "PACKAGE_VERSION"]

    /// Returns a warning for each environment variable that has the program's prefix but is none of its options'.
    ///
    /// Variables that Kubernetes sets for a service with the program's name are no mistakes.
    package func warnings(ofVariables environment: [String: String]) -> [String] {
        guard let start = variableStart else { return [] }
        let known = Set(commands.flatMap(\.options).compactMap(\.environmentVariable))
        let suffixes = known.filter { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }.sorted()
        return environment.filter { name, value in
            guard name.hasPrefix(start), !known.contains(name) else { return false }
            let rest = String(name.dropFirst(start.count))
            let isOfTool = Self.toolVariables.contains(rest) || rest.hasPrefix("TEST_")
            return !isOfTool && !Self.isOfService(rest, value)
        }.keys.sorted().map { name in
            // Compared without the prefix, which all names share.
            let near = nearest(to: String(name.dropFirst(start.count)), among: suffixes, limit: 1)
            return "\(name) in the environment is not a variable of \(self.name)"
                + (near.first.map { ": did you mean \(start)\($0)?" } ?? ", and does nothing")
        }
    }

    /// Whether a variable tells the address of a service, as Kubernetes and Docker write it.
    private static func isOfService(_ name: String, _ value: String) -> Bool {
        name.wholeMatch(of: /([A-Z0-9_]+_)?(SERVICE_(HOST|PORT)(_.*)?|PORT_[0-9]+_(TCP|UDP|SCTP)(_.*)?)/) != nil
            || name.hasSuffix("PORT") && value.wholeMatch(of: /(tcp|udp|sctp):\/\/.*/) != nil
    }
}

/// A reader of the words after a command's name.
struct CommandParser {
    private let command: Command
    private let errors: CommandErrors
    private var arguments: [String] = []
    private var values: [String: [String]] = [:]

    init(program: String, command: Command) {
        self.command = command
        errors = CommandErrors(program: program, command: command)
    }

    /// Reads all words; returns false if one of them requests help.
    mutating func read(_ words: ArraySlice<String>) throws(UsageError) -> Bool {
        var rest = words
        while let word = rest.popFirst() {
            if word == "--" {
                arguments.append(contentsOf: rest)
                break
            }
            if word == "--help" || word == "-h" { return false }
            if word.hasPrefix("--") {
                try readLong(word.dropFirst(2), &rest)
            } else if word.hasPrefix("-"), word != "-" {
                guard try readShort(word.dropFirst(), &rest) else { return false }
            } else {
                arguments.append(word)
            }
        }
        return true
    }

    /// Returns the words of the command, after all have been read.
    consuming func finish() throws(UsageError) -> CommandWords {
        try checkArgumentCount()
        for (argument, word) in zip(command.arguments, arguments) { try errors.check(word, of: argument) }
        return CommandWords(command: command, arguments: arguments, values: values, errors: errors)
    }

    private mutating func readLong(_ word: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = command.option(named: name) else { throw errors.unknownOption("--\(name)") }
        let attached = parts.count == 2 ? String(parts[1]) : nil
        if option.isFlag {
            if let attached { throw errors.error("--\(name) takes no value, but was given \"\(attached)\"") }
            try add("", to: option)
        } else if let attached {
            try add(attached, to: option)
        } else {
            try add(nextValue(for: option, &rest), to: option)
        }
    }

    /// Reads `-n 5`, `-n5` or several flags such as `-vj`; returns false if one of them requests help.
    private mutating func readShort(_ word: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) -> Bool {
        var letters = word
        while let letter = letters.popFirst() {
            if letter == "h" { return false }
            guard let option = command.option(short: letter) else { throw errors.unknownOption("-\(letter)") }
            guard !option.isFlag else {
                try add("", to: option)
                continue
            }
            try add(letters.isEmpty ? nextValue(for: option, &rest) : String(letters), to: option)
            break
        }
        return true
    }

    /// Returns the next word as an option's value, unless it is another option.
    private func nextValue(for option: Option, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
        guard let word = rest.first, word != "--", !isOption(word) else { throw errors.missingValue(option) }
        rest = rest.dropFirst()
        return word
    }

    /// Whether a word is an option of this command; `-5` is not, unless there is an option `-5`.
    private func isOption(_ word: String) -> Bool {
        if word == "--help" || word == "-h" { return true }
        if word.hasPrefix("--") { return command.option(named: String(word.dropFirst(2).prefix { $0 != "=" })) != nil }
        guard word.count == 2, word.hasPrefix("-"), let letter = word.last else { return false }
        return command.option(short: letter) != nil
    }

    private mutating func add(_ value: String, to option: Option) throws(UsageError) {
        if values[option.name] != nil, !option.isRepeating { throw errors.error("--\(option.name) is given twice") }
        try errors.check(value, of: option, from: .commandLine)
        values[option.name, default: []].append(value)
    }

    private func checkArgumentCount() throws(UsageError) {
        let required = command.arguments.prefix { !$0.isOptional }
        guard arguments.count >= required.count else { throw errors.missingArgument(required[arguments.count]) }
        if command.arguments.last?.isRepeating == true { return }
        guard arguments.count <= command.arguments.count else {
            throw errors.extraArgument(arguments[command.arguments.count])
        }
    }
}
