import TextDistance

extension CommandLineProgram {
    /// Reads a command line, and gives a command the values of all of its options.
    ///
    /// - Parameters:
    ///   - words: the words after the program's name.
    ///   - environment: all environment variables. Only those that an option of the command names are used.
    /// - Throws: `UsageError` when a word is not understood, or one is missing.
    public func parse(
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
    /// - Throws: `UsageError` when a word is not understood, or an argument is missing.
    public func read(_ words: [String]) throws(UsageError) -> ParseResult<CommandWords> {
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
