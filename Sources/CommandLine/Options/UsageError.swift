import RecordReading

/// A mistake in a command line, with advice.
///
/// A program that catches it writes its description to standard error and exits with `exitCode`.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    /// The exit code for wrong usage: 64, `EX_USAGE` of sysexits.
    package static let exitCode: Int32 = 64

    /// The mistake, with the option or argument and the value.
    package let message: String
    /// Lines of advice, such as a similar name, a usage line or a pointer to the help; may be empty.
    package let advice: [String]

    package init(_ message: String, advice: [String] = []) {
        self.message = message
        self.advice = advice
    }

    /// The message, followed by the advice, one line each.
    package var description: String { ([message] + advice).joined(separator: "\n") }
}

/// The usage errors of one command.
struct CommandErrors: Sendable {
    /// The program's name on the command line.
    let program: String
    let command: Command

    func error(_ message: String, advice: [String] = []) -> UsageError {
        UsageError(message, advice: advice + ["\(program) \(command.name) --help shows what it understands"])
    }

    func unknownOption(_ word: String) -> UsageError {
        let names = command.options.map { "--\($0.name)" } + ["--help"]
        return error("\(command.name) has no option \(word)", advice: didYouMean(nearest(to: word, among: names)))
    }

    func missingValue(_ option: Option) -> UsageError {
        let example = "\(program) \(command.name) --\(option.name) \(option.placeholder ?? "")"
        return error("--\(option.name) needs a value: \(example)")
    }

    func missingOption(_ option: Option) -> UsageError {
        let variable = option.environmentVariable.map { ", or set \($0)" } ?? ""
        return error("--\(option.name) is missing: give --\(option.name) \(option.placeholder ?? "")\(variable)")
    }

    func missingArgument(_ argument: Argument) -> UsageError {
        error("\(argument.name) is missing", advice: ["usage: \(command.usageLine(program))"])
    }

    func extraArgument(_ word: String) -> UsageError {
        error("\"\(word)\" is one argument too many", advice: ["usage: \(command.usageLine(program))"])
    }

    /// Throws for a word that is not one of the argument's choices.
    func check(_ word: String, of argument: Argument) throws(UsageError) {
        let choices = argument.allowedValues
        guard !choices.isEmpty, !choices.contains(word) else { return }
        throw error(
            "\(argument.name) must be \(oneOf(choices)), but is \"\(word)\"",
            advice: didYouMean(nearest(to: word, among: choices)))
    }

    /// Returns the error for a wrong value; `expected` is the requirement, as words after "must be".
    func badValue(_ value: String, of option: Option, from origin: ValueOrigin, expected: String) -> UsageError {
        let name =
            switch origin {
            case .environment: option.environmentVariable.map { "the environment variable \($0)" }
            case .file(let place): option.setting.map { "\(place): \($0.key)" }
            case .commandLine, .standard: nil as String?
            }
        return error("\(name ?? "--\(option.name)") must be \(expected), but is \"\(value)\"")
    }

    /// Throws for a value that is not of the option's type, or not one of its choices.
    func check(_ value: String, of option: Option, from origin: ValueOrigin) throws(UsageError) {
        if option.isFlag { return }
        guard option.allowedValues.isEmpty || option.allowedValues.contains(value) else {
            throw badValue(value, of: option, from: origin, expected: oneOf(option.allowedValues))
        }
        if let expected = option.type.fault(in: value) {
            throw badValue(value, of: option, from: origin, expected: expected)
        }
    }
}

/// Returns the requirement to be one of some words, as words after "must be".
func oneOf(_ choices: [String]) -> String {
    (choices.count == 1 ? "" : "one of ") + choices.joined(separator: ", ")
}

/// Returns a line that suggests the candidates; no line if there are none.
func didYouMean(_ candidates: [String]) -> [String] {
    candidates.isEmpty ? [] : ["did you mean \(candidates.joined(separator: ", "))?"]
}
