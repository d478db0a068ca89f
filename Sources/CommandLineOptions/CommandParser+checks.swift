extension CommandParser {
    /// The values of an option that the command line does not give: from the environment, else the default.
    func fallback(for option: Option, environment: [String: String]) throws(UsageError) -> [String]? {
        guard let variable = option.environmentVariable, let value = environment[variable], !value.isEmpty else {
            return option.defaultValue.map { [$0] }
        }
        guard option.isFlag else {
            guard isAllowed(value, for: option) else {
                let allowed = option.allowedValues.joined(separator: ", ")
                throw error("the environment variable \(variable) is \"\(value)\"; it must be one of: \(allowed)")
            }
            return [value]
        }
        switch value.lowercased() {
        case "1", "true", "yes", "on": return [""]
        case "0", "false", "no", "off": return nil
        default: throw error("the environment variable \(variable) is \"\(value)\"; it must be 1 or 0")
        }
    }

    func check(_ value: String, for option: Option) throws(UsageError) {
        guard isAllowed(value, for: option) else {
            throw error(badChoiceMessage(value, of: option, allowed: option.allowedValues))
        }
    }

    func isAllowed(_ value: String, for option: Option) -> Bool {
        option.isFlag || option.allowedValues.isEmpty || option.allowedValues.contains(value)
    }

    func unknownOption(_ word: String) -> UsageError {
        let names = command.options.map { "--\($0.name)" } + ["--help"]
        return error("\(command.name) has no option \(word)", advice: didYouMean(nearest(to: word, among: names)))
    }

    func missing(_ option: Option) -> UsageError {
        let variable = option.environmentVariable.map { ", or set \($0)" } ?? ""
        return error("--\(option.name) is missing: give --\(option.name) \(option.placeholder ?? "")\(variable)")
    }

    func error(_ message: String, advice: [String] = []) -> UsageError {
        UsageError(message, advice: advice + ["\(program) \(command.name) --help shows what it understands"])
    }
}

func badChoiceMessage(_ value: String, of option: Option, allowed: [String]) -> String {
    "--\(option.name) cannot be \"\(value)\"; it must be one of: \(allowed.joined(separator: ", "))"
}

extension ParsedCommand {
    func badValue(_ value: String, of name: String, expected: String) -> UsageError {
        UsageError("--\(name) must be \(expected), but is \"\(value)\"")
    }

    func badChoice(_ value: String, of option: Option, allowed: [String]) -> UsageError {
        UsageError(badChoiceMessage(value, of: option, allowed: allowed))
    }
}
