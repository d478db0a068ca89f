/// Reads the words after a command's name, one at a time.
struct CommandParser {
    let program: String
    let command: Command
    private var arguments: [String] = []
    private var values: [String: [String]] = [:]

    init(program: String, command: Command) {
        self.program = program
        self.command = command
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

    /// The command with its values, once all words are read; completes them from the environment and the defaults.
    func finish(environment: [String: String]) throws(UsageError) -> ParsedCommand {
        try checkArgumentCount()
        var values = values
        for option in command.options where values[option.name] == nil {
            values[option.name] = try fallback(for: option, environment: environment)
            if option.isRequired, values[option.name] == nil { throw missing(option) }
        }
        return ParsedCommand(command: command, arguments: arguments, values: values)
    }

    private mutating func readLong(_ word: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = command.option(named: name) else { throw unknownOption("--\(name)") }
        let attached = parts.count == 2 ? String(parts[1]) : nil
        guard !option.isFlag else {
            if let attached { throw error("--\(name) takes no value, but was given \"\(attached)\"") }
            return try add("", to: option)
        }
        if let attached { return try add(attached, to: option) }
        try add(nextValue(for: option, &rest), to: option)
    }

    /// Reads `-n 5`, `-n5` or flags in a row, `-vj`; false if one of them asks for help.
    private mutating func readShort(_ word: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) -> Bool {
        var letters = word
        while let letter = letters.popFirst() {
            if letter == "h" { return false }
            guard let option = command.option(short: letter) else { throw unknownOption("-\(letter)") }
            guard !option.isFlag else {
                try add("", to: option)
                continue
            }
            try add(letters.isEmpty ? nextValue(for: option, &rest) : String(letters), to: option)
            break
        }
        return true
    }

    /// The next word as an option's value, unless it is plainly another option.
    private func nextValue(for option: Option, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
        guard let word = rest.first, word != "--", !isOption(word) else {
            let example = "\(command.name) --\(option.name) \(option.placeholder ?? "")"
            throw error("--\(option.name) needs a value: \(program) \(example)")
        }
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

    private func checkArgumentCount() throws(UsageError) {
        let required = command.arguments.prefix { !$0.isOptional }
        guard arguments.count >= required.count else {
            throw error(
                "\(required[arguments.count].name) is missing", advice: ["usage: \(command.usageLine(program))"])
        }
        let hasRoom = command.arguments.last?.isRepeating == true || arguments.count <= command.arguments.count
        guard hasRoom else {
            let extra = arguments[command.arguments.count]
            throw error("\"\(extra)\" is one argument too many", advice: ["usage: \(command.usageLine(program))"])
        }
    }

    private mutating func add(_ value: String, to option: Option) throws(UsageError) {
        if values[option.name] != nil, !option.isRepeating { throw error("--\(option.name) is given twice") }
        try check(value, for: option)
        values[option.name, default: []].append(value)
    }
}
