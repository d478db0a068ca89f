import Basics
import Glibc

/// A command with the values of its arguments and options.
///
/// A value comes from the first of these that has one: command line, environment variable, configuration file, default.
/// Requesting an option that the command does not have is a programmer's mistake and ends the process.
package struct ParsedCommand: Sendable {
    package let command: Command
    /// The arguments in order, at least as many as are required; `-` for standard input is an argument too.
    package let arguments: [String]
    /// The values of each option by its long name; a flag that is on has the value "".
    let values: [String: [String]]
    /// The sources of values, by the long names of options; options that are missing here have their default.
    let origins: [String: ValueOrigin]
    let errors: CommandErrors

    package var name: String { command.name }

    /// Returns the thing that the first argument names; the argument allows the names of these things only.
    package func chosen<Thing>(_ things: [Thing], by name: (Thing) -> String) -> Thing {
        Self.chosen(arguments[0], things, by: name)
    }

    private static func chosen<Thing>(_ word: String, _ things: [Thing], by name: (Thing) -> String) -> Thing {
        guard let thing = things.first(where: { name($0) == word }) else {
            preconditionFailure("the command's table allows \(word), which names nothing")
        }
        return thing
    }

    package func flag(_ name: String) -> Bool {
        precondition(option(name).isFlag, "--\(name) is not a flag")
        return values[name]?.isEmpty == false
    }

    /// Returns the value of an option that is required or has a default.
    package func text(_ name: String) -> String {
        guard let value = textIfGiven(name) else {
            preconditionFailure("--\(name) is neither required nor has it a default: use textIfGiven")
        }
        return value
    }

    /// Returns the value of an option, or nil if it has none.
    package func textIfGiven(_ name: String) -> String? { texts(name).last }

    /// Returns the values of an option that may be given more than once, in the order of the command line.
    package func texts(_ name: String) -> [String] {
        precondition(!option(name).isFlag, "--\(name) is a flag")
        return values[name] ?? []
    }

    /// Returns the value of an option; nil if it has none, or the command has no such option.
    package func textIfDeclared(_ name: String) -> String? { values[name]?.last }

    /// Returns the source of an option's value.
    package func origin(of name: String) -> ValueOrigin { origins[name] ?? .standard }

    /// The options of the command that are settings, in order, each with its values.
    package var settings: [(option: Option, texts: [String])] {
        command.options.filter { $0.setting != nil }.map { ($0, values[$0.name] ?? []) }
    }

    /// Refuses an output that is also a file to read, or that has an owner, whom `owner` names.
    package func refuseOverwriting(ownedBy owner: (_ path: String) -> String?) throws(UsageError) {
        var files = zip(command.arguments, arguments).map { ($0.name, $1, $0.isOutput) }
        for option in command.options where ["FILE", "FOLDER"].contains(option.placeholder) {
            files += texts(option.name).map { ("--\(option.name)", $0, option.isOutput) }
        }
        for (output, path, isOutput) in files where isOutput && path != "-" && !path.hasPrefix("/dev/") {
            if let owner = owner(path) {
                throw UsageError("\(output) is \(path), which belongs to \(owner): name another place to write")
            }
            guard let place = FileTree.status(of: path), place.st_mode & S_IFMT == S_IFREG else { continue }
            for (input, other, isOutput) in files where !isOutput {
                guard let read = FileTree.status(of: other), read.st_ino == place.st_ino, read.st_dev == place.st_dev
                else { continue }
                throw UsageError("\(output) and \(input) name one file, \(path): name another file to write")
            }
        }
    }

    func option(_ name: String) -> Option {
        guard let option = command.option(named: name) else {
            preconditionFailure("the table of \(command.name) has no --\(name)")
        }
        return option
    }
}

extension ParsedCommand {
    /// Returns the whole number given for an option that is required or has a default.
    ///
    /// - Parameter bounds: the least and the greatest number allowed, both inclusive.
    /// - Throws: `UsageError` with option, value and bounds.
    package func integer(_ name: String, in bounds: ClosedRange<Int>) throws(UsageError) -> Int {
        try integer(text(name), of: name, in: bounds)
    }

    /// Returns the whole number given for an option, or nil if there is none.
    ///
    /// - Parameter bounds: the least and the greatest number allowed, both inclusive.
    /// - Throws: `UsageError` with option, value and bounds.
    package func integerIfGiven(_ name: String, in bounds: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = textIfGiven(name) else { return nil }
        return try integer(text, of: name, in: bounds)
    }

    /// Returns the number given for an option that is required or has a default.
    ///
    /// - Parameter bounds: the least and the greatest number allowed, both inclusive.
    /// - Throws: `UsageError` with option, value and bounds.
    package func number(_ name: String, in bounds: ClosedRange<Double>) throws(UsageError) -> Double {
        try number(text(name), of: name, in: bounds)
    }

    /// Returns the number given for an option, or nil if there is none.
    ///
    /// - Parameter bounds: the least and the greatest number allowed, both inclusive.
    /// - Throws: `UsageError` with option, value and bounds.
    package func numberIfGiven(_ name: String, in bounds: ClosedRange<Double>) throws(UsageError) -> Double? {
        guard let text = textIfGiven(name) else { return nil }
        return try number(text, of: name, in: bounds)
    }

    /// Returns the choice given for an option that is required or has a default; the option allows the type's words.
    package func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, of type: Choice.Type
    ) -> Choice {
        Self.chosen(text(name), Array(Choice.allCases), by: \.rawValue)
    }

    /// Returns the choice given for an option, which allows the type's words, or nil if there is none.
    package func choiceIfGiven<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, of type: Choice.Type
    ) -> Choice? {
        textIfGiven(name).map { Self.chosen($0, Array(Choice.allCases), by: \.rawValue) }
    }

    /// Returns the value of an option of type `integer` that is required or has a default; the type gives the bounds.
    package func integer(_ name: String) throws(UsageError) -> Int { try integer(text(name), of: name) }

    /// Returns the value of an option of type `integer`, or nil if there is none; the type gives the bounds.
    package func integerIfGiven(_ name: String) throws(UsageError) -> Int? {
        guard let text = textIfGiven(name) else { return nil }
        return try integer(text, of: name)
    }

    /// Returns the value of an option of type `number` that is required or has a default; the type gives the bounds.
    package func number(_ name: String) throws(UsageError) -> Double {
        guard case .number(let bounds) = option(name).type else { preconditionFailure("--\(name) is not a number") }
        return try number(text(name), of: name, in: bounds)
    }

    /// Returns the value of an option of type `number`, or nil if there is none; the type gives the bounds.
    package func numberIfGiven(_ name: String) throws(UsageError) -> Double? {
        guard textIfGiven(name) != nil else { return nil }
        return try number(name)
    }

    /// Returns the value of an option of type `duration` that is required or has a default; the type gives the bounds.
    package func duration(_ name: String) throws(UsageError) -> Duration {
        guard case .duration(let bounds) = option(name).type else { preconditionFailure("--\(name) is no duration") }
        let text = text(name)
        guard let seconds = ValueType.seconds(text, in: bounds) else {
            throw badValue(text, of: name, expected: ValueType.duration(bounds).description)
        }
        return .seconds(seconds)
    }

    private func integer(_ text: String, of name: String) throws(UsageError) -> Int {
        guard case .integer(let bounds) = option(name).type else { preconditionFailure("--\(name) is no integer") }
        return try integer(text, of: name, in: bounds)
    }

    private func integer(_ text: String, of name: String, in bounds: ClosedRange<Int>) throws(UsageError) -> Int {
        guard let value = ValueType.integer(text, in: bounds) else {
            throw badValue(text, of: name, expected: ValueType.integer(bounds).description)
        }
        return value
    }

    private func number(_ text: String, of name: String, in bounds: ClosedRange<Double>) throws(UsageError) -> Double {
        guard let value = ValueType.number(text, in: bounds) else {
            throw badValue(text, of: name, expected: ValueType.number(bounds).description)
        }
        return value
    }

    /// Returns the error for a value that the command itself finds wrong.
    ///
    /// - Parameter expected: the requirement, as words after "must be".
    package func badValue(_ text: String, of name: String, expected: String) -> UsageError {
        errors.badValue(text, of: option(name), from: origin(of: name), expected: expected)
    }
}
