/// Reads the words after a command's name, one at a time.
struct CommandParser {
    private let command: Command
    private let errors: CommandErrors
    private var arguments: [String] = []
    private var values: [String: [String]] = [:]

    init(program: String, command: Command) {
        self.command = command
        errors = CommandErrors(program: program, command: command)
    }

    /// Reads all words; false if one of them asks for help.
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

    /// The words of the command, after all are read.
    consuming func finish() throws(UsageError) -> CommandWords {
        try checkArgumentCount()
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

    /// Reads `-n 5`, `-n5` or flags in a row, `-vj`; false if one of them asks for help.
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

    /// The next word as an option's value, unless it is another option.
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
